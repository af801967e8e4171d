import type { RequestFilter, Surface } from "../values/request-events.ts"
import type { Tally } from "./counts.ts"
import type { RequestEnd } from "./request-record.ts"

/** Whether a finished request is selected. */
export type MatchRequest = (tally: Tally, end: RequestEnd) => boolean

/** Makes the check of a filter. */
export function toMatch({ status, surface, api, account, key, fault }: RequestFilter): MatchRequest {
  const statuses = toSet(status)
  const surfaces = toSet(surface)
  const apis = toSet(api)
  const accounts = toSet(account)
  const keys = toSet(key)
  const faults = toSet(fault)
  return (tally, end) => {
    if (surfaces ? !surfaces.has(tally.surface) : isLeftOut(tally.surface, end.status)) return false
    if (statuses && !statuses.has(String(end.status)) && !statuses.has(classOf(end.status))) return false
    if (apis && !apis.has(tally.api) && !end.apis?.some((id) => apis.has(id))) return false
    if (accounts && !accounts.has(end.caller?.account.id ?? "")) return false
    if (keys && !keys.has(end.caller?.key.id ?? "")) return false
    return faults === null || faults.has(end.fault ?? "")
  }
}

function toSet(values: readonly string[] | undefined): ReadonlySet<string> | null {
  return values && values.length > 0 ? new Set(values) : null
}

function isLeftOut(surface: Surface, status: number): boolean {
  return surface === "admin" || surface === "portal" || (surface === "unkeyed" && status < 400)
}

function classOf(status: number): string {
  return `${Math.floor(status / 100)}xx`
}
