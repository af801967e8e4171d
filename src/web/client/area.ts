/** Which of the two front ends runs in this page. */
export interface Area {
  readonly kind: "console" | "portal"
  /** What the addresses of its screens begin with. */
  readonly base: string
  /** What the paths of the operations that it may call begin with. */
  readonly api: string
}

export const area: Area = /^\/portal(\/|$)/.test(location.pathname)
  ? { kind: "portal", base: "/portal", api: "/portal/v1" }
  : { kind: "console", base: "/console", api: "/admin/v1" }

/** The name of this service, which its operator chooses. */
export const serviceName: string =
  document.querySelector<HTMLMetaElement>('meta[name="application-name"]')?.content ?? "penknife"
