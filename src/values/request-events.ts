/** The surfaces that customers call. */
export const callSurfaces = ["rest", "batch", "graphql", "mcp"] as const

/** How a request comes in. `unkeyed`: health, metrics and documentation. `none`: no such path or method. */
export const surfaces = [...callSurfaces, "admin", "portal", "unkeyed", "none"] as const

/** One of {@link surfaces}. */
export type Surface = (typeof surfaces)[number]

/** A finished request as watchers see it. It has no path, query, body or text of a key. */
export interface RequestEvent {
  readonly at: string
  readonly request_id: string
  readonly surface: Surface
  /** The ids of all APIs that were called, with commas between them; `none` without one. */
  readonly api: string
  readonly status: number
  readonly fault: string | null
  readonly account: string | null
  readonly key: string | null
  readonly credits: number
  readonly ms: number
  readonly address: string
}

/** Selects requests. One value of each list must match; a list that is missing or empty matches every request. */
export interface RequestFilter {
  /** Statuses such as `404`, and classes such as `4xx`. */
  readonly status?: readonly string[] | undefined
  /** Without it, all but the administration and the portal, whose pages ask all the time, and successful probes. */
  readonly surface?: readonly string[] | undefined
  readonly api?: readonly string[] | undefined
  readonly account?: readonly string[] | undefined
  readonly key?: readonly string[] | undefined
  readonly fault?: readonly string[] | undefined
}
