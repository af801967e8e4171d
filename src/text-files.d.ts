/** Files that are imported as text, which the build embeds. */
declare module "*.sql" {
  const text: string
  export default text
}
declare module "*.txt" {
  const text: string
  export default text
}
/** The types of `penknife/plugin`. */
declare module "#plugin-types" {
  const text: string
  export default text
}
