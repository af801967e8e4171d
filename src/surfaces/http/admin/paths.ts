import { pathOf } from "../request-url.ts"
import { documentPath } from "./document-path.ts"
import { matching, type OperationRoute } from "./operation-path.ts"
import { HttpProblem } from "./problem.ts"

/** The route of a request; a written name wins over a parameter, as in `/keys/find` beside `/keys/{id}`. */
export function routeFor(
  method: string,
  path: string,
  routes: readonly OperationRoute[],
): OperationRoute | undefined {
  return matching(path, routes)
    .filter(({ operation }) => operation.method === method)
    .sort((a, b) => a.inPath.length - b.inPath.length)[0]
}

/** Paths that are no operation, with their methods. */
const otherPaths: Readonly<Record<string, readonly string[]>> = {
  [documentPath]: ["GET"],
  "/console/session": ["DELETE", "GET", "POST"],
  "/portal/session": ["DELETE", "GET", "POST"],
}

/** The routes of an app; an app that serves nothing for operators, or for customers, knows none of their paths. */
export interface Routes {
  readonly admin: readonly OperationRoute[] | null
  readonly portal: readonly OperationRoute[] | null
}

/** The routes among which the one of a path is. Null: this app serves nothing of the kind. */
export function routesAt(path: string, { admin, portal }: Routes): readonly OperationRoute[] | null {
  return /^\/portal(?:\/|$)/.test(path) ? portal : admin
}

/** The methods that a path takes, for `Allow`; empty for an unknown path. */
export function allowedMethods(url: string, known: Routes): string {
  const path = pathOf(url)
  const routes = routesAt(path, known)
  if (routes === null) return ""
  const methods = otherPaths[path] ?? matching(path, routes).map(({ operation }) => operation.method)
  return [...new Set(methods)].sort().join(", ")
}

/** What a request is refused with that is for no operation. */
export function noOperation({ url, method }: Request, known: Routes): HttpProblem {
  const allow = allowedMethods(url, known)
  // The path is not repeated: people paste keys into the wrong places.
  if (allow === "") {
    const where = /^\/portal(?:\/|$)/.test(pathOf(url))
      ? "Open the portal at /portal."
      : `${documentPath} lists the paths of the admin API.`
    return new HttpProblem("not-found", `No such path. ${where}`)
  }
  return new HttpProblem("method-not-allowed", `This path takes ${allow}, not ${method}.`, { allow })
}
