/** The path of a file that is compressed with Zstandard (RFC 8878), which the build embeds. */
declare module "*.zst" {
  const path: string
  export default path
}
