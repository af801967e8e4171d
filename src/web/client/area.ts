/** The front end of this page: console or portal. */
interface Area {
  readonly kind: "console" | "portal"
  /** The start of the addresses of its screens. */
  readonly base: string
  /** The start of the paths of its operations. */
  readonly api: string
}

/** The area that the page belongs to, by its path: console or portal. */
export const area: Area = /^\/portal(\/|$)/.test(location.pathname)
  ? { kind: "portal", base: "/portal", api: "/portal/v1" }
  : { kind: "console", base: "/console", api: "/admin/v1" }

/** The path of the operator's logo; null for the usual sign. */
export const serviceLogo: string | null =
  document.querySelector<HTMLMetaElement>('meta[name="application-logo"]')?.content ?? null

/** The name that the operator has given this service. */
export const serviceName: string =
  document.querySelector<HTMLMetaElement>('meta[name="application-name"]')?.content ?? "penknife"
