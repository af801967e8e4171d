import { closest, distance } from "fastest-levenshtein"
import { Fault } from "../../call/fault.ts"
import { pathOf } from "./request.ts"

/** A known path, called with another method. */
export class MethodNotAllowed extends Fault {
  /** The methods that the path takes, for the `Allow` header (RFC 9110 §10.2.1). */
  readonly allow: string

  constructor(method: string, allow: string) {
    super("methodNotAllowed", `This path takes ${allow}, not ${method}.`)
    this.allow = allow
  }
}

/** The routes of an Elysia app. */
type Routes = readonly { readonly method: string; readonly path: string }[]

/** Adds each route's method before those in `methods`. A route of all methods takes POST and refuses the others itself. */
export function addRoutes(methods: Map<string, string>, routes: Routes): void {
  const belowWildcards = [...methods]
  methods.clear()
  for (const { method, path } of routes) {
    if (!path.includes("*") && method !== "OPTIONS") methods.set(path, method === "ALL" ? "POST" : method)
  }
  for (const [path, method] of belowWildcards) methods.set(path, method)
}

/** The methods that routes take at a path, for `Allow`; empty for an unknown path. */
export function methodsAt(path: string, routes: Routes): readonly string[] {
  const takesPath = (route: string) => new RegExp(`^${route.replaceAll(/:\w+/g, "[^/]+")}$`).test(path)
  const methods = routes.filter((route) => takesPath(route.path)).map(({ method }) => method)
  return [...new Set(methods)].filter((method) => method !== "HEAD" && method !== "OPTIONS")
}

/**
 * The fault for a request that no route takes.
 * @param allow the methods that the path takes, for the `Allow` header; empty for an unknown path
 * @param advise says where to look for the right path
 */
export function refusalOfPath(method: string, allow: string, advise: () => string): Fault {
  if (allow !== "" && allow !== method) return new MethodNotAllowed(method, allow)
  // The path is not repeated: people paste keys into the wrong places.
  return new Fault("notFound", `No such path. ${advise()}`)
}

/** The same for an app of which `methods` has the method of each known path. */
export function noRoute({ url, method }: Request, methods: ReadonlyMap<string, string>): Fault {
  // Elysia takes a path with a slash at its end for the same path.
  const path = pathOf(url).replace(/(?<=.)\/$/, "")
  return refusalOfPath(method, methods.get(path) ?? "", () => {
    const near = nearest(path.toLowerCase(), [...methods.keys()])
    return `${near === null ? "" : `Did you mean ${near}? `}See /docs.`
  })
}

/** A longer path costs time and resembles none. */
const maxCompared = 200
/** How many letters a path must share at its start before the rest of it may be anything. */
const minShared = 3

/** The known path that a path most likely stands for; null when it resembles none. */
function nearest(path: string, known: readonly string[]): string | null {
  if (path === "/" || path.length > maxCompared) return null
  const whole = known.find((other) => other !== "/" && (other.endsWith(path) || path.endsWith(other)))
  if (whole !== undefined) return whole
  const shared = known.map((other) => sharedStart(path, other))
  const longest = Math.max(...shared)
  const isBeginning = longest >= minShared
  const candidates = isBeginning ? known.filter((_, index) => shared[index] === longest) : known
  const near = closest(path, candidates)
  return isBeginning || distance(path, near) <= 0.4 * near.length ? near : null
}

/** How many letters two paths share at their start, without the version that all APIs have. */
function sharedStart(path: string, other: string): number {
  const start = other.startsWith("/v1/") && path.startsWith("/v1/") ? "/v1/".length : 1
  let end = start
  while (end < other.length && path[end] === other[end]) end++
  return path.startsWith(other.slice(0, start)) ? end - start : 0
}
