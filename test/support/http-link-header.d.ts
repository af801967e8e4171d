declare module "http-link-header" {
  interface LinkReference {
    readonly uri: string
    readonly rel: string
    readonly type?: string
  }
  const LinkHeader: { parse(text: string): { readonly refs: readonly LinkReference[] } }
  export default LinkHeader
}
