import type { Subscription } from "../subscription.ts"

/** How a request comes in. `unkeyed`: health, metrics and documentation. `none`: no such path or method. */
export const requestSurfaces = [
  "rest",
  "batch",
  "graphql",
  "mcp",
  "admin",
  "portal",
  "unkeyed",
  "none",
] as const

/** A finished request as it is shown to those who watch. It holds no path, query, body or text of a key. */
export interface WatchedRequest {
  readonly at: string
  readonly request_id: string
  readonly surface: (typeof requestSurfaces)[number]
  readonly api: string
  readonly status: number
  readonly fault: string | null
  readonly account: string | null
  readonly key: string | null
  readonly credits: number
  readonly ms: number
  readonly address: string
}

/** Which requests are wanted. Of each list one value must fit; a list that is missing or empty fits every request. */
export interface RequestChoice {
  readonly status?: readonly string[] | undefined
  readonly surface?: readonly string[] | undefined
  readonly api?: readonly string[] | undefined
  readonly account?: readonly string[] | undefined
  readonly key?: readonly string[] | undefined
  readonly fault?: readonly string[] | undefined
}

/**
 * Begins to watch requests while they happen.
 * @param onReady is called when there is something to take
 * @returns null when too many watch
 */
export type WatchRequests = (
  choice: RequestChoice,
  onReady: () => void,
) => Subscription<WatchedRequest> | null
