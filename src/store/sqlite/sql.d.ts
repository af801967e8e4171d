/** SQL files are imported as text. */
declare module "*.sql" {
  const text: string
  export default text
}
