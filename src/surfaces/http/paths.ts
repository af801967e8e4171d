import { Fault } from "../../call/fault.ts"
import { pathOf } from "./request-url.ts"

/** A known path, called with another method. */
export class MethodNotAllowed extends Fault {
  /** The methods that the path takes, for the `Allow` header (RFC 9110 §10.2.1). */
  readonly allow: string

  constructor(method: string, allow: string) {
    super("methodNotAllowed", `This path takes ${allow}, not ${method}.`)
    this.allow = allow
  }
}

/** The fault for a request that no route takes; `methods` has the method of each known path. */
export function noRoute({ url, method }: Request, methods: ReadonlyMap<string, string>): Fault {
  // Elysia takes a path with a slash at its end for the same path.
  const path = pathOf(url).replace(/(?<=.)\/$/, "")
  const allow = methods.get(path)
  if (allow && allow !== method) return new MethodNotAllowed(method, allow)
  // The path is not repeated: people paste keys into the wrong places.
  return new Fault("notFound", `No such path. Did you mean ${nearest(path, [...methods.keys()])}? See /docs.`)
}

/** The known path with the longest common beginning, when it is more than the version that all APIs share. */
function nearest(path: string, known: readonly string[]): string {
  let best = "/v1/hmac"
  let bestLength = "/v1/".length
  for (const other of known) {
    let length = 0
    while (length < other.length && path[length] === other[length]) length++
    if (length > bestLength) {
      best = other
      bestLength = length
    }
  }
  return best
}
