/** Files of the viewer, imported with `type: "file"`: the path of the file, which is inside the executable where there is one. */
declare module "swagger-ui-dist/*" {
  const path: string
  export default path
}
