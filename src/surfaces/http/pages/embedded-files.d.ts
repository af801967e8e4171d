/** Files imported with `type: "file"`: the import gives the file's path. */
declare module "swagger-ui-dist/*" {
  const path: string
  export default path
}
declare module "graphiql/*" {
  const path: string
  export default path
}
declare module "*.production.min.js" {
  const path: string
  export default path
}
