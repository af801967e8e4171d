/** Packages whose files are imported with `type: "file"`: the import gives the file's path, inside the executable if there is one. */
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
