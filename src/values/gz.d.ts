/** The path of a compressed file, which the build embeds. */
declare module "*.gz" {
  const path: string
  export default path
}
