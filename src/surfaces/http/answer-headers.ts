import { crossOriginHeaders } from "./cross-origin.ts"

type HeaderValues = Readonly<Record<string, string>>

/**
 * Gives the headers of one answer: `stable` ones are set again only where it is another object than before, `changing` ones win.
 * They are good until the next answer asks for its own: whoever keeps them copies them, as a Response does.
 */
export type FillHeaders = (requestId: string, stable: HeaderValues, changing: HeaderValues) => Headers

/**
 * The headers of every answer of a content type, in one object that is filled anew for each: to set them in what a Response
 * has copied makes that grow, and needs an object more.
 */
export function createAnswerHeaders(contentType: string): FillHeaders {
  const common = {
    ...crossOriginHeaders,
    "content-type": contentType,
    // The same address answers in several types and to one key only.
    vary: "Accept",
    "cache-control": "no-store",
    // A caller's own text, read as a page by a browser that guesses types, could run as a script (Fetch §3.6).
    "x-content-type-options": "nosniff",
  }
  let headers = new Headers(common)
  let lastStable: HeaderValues = {}
  let lastChanging: HeaderValues = {}

  return (requestId, stable, changing) => {
    try {
      fill(requestId, stable, changing)
    } catch (cause) {
      // Of a value that cannot be sent nobody knows what was set before it.
      headers = new Headers(common)
      lastStable = {}
      lastChanging = {}
      throw cause
    }
    lastStable = stable
    lastChanging = changing
    return headers
  }

  /** Nothing of one caller's may be left for another to read. */
  function fill(requestId: string, stable: HeaderValues, changing: HeaderValues): void {
    const hasStale = removeStale(lastChanging, changing)
    if (hasStale || stable !== lastStable) {
      removeStale(lastStable, stable)
      setAll(stable)
    }
    headers.set("x-request-id", requestId)
    setAll(changing)
  }

  function removeStale(before: HeaderValues, now: HeaderValues): boolean {
    let removed = false
    for (const name in before) {
      if (name in now) continue
      headers.delete(name)
      removed = true
    }
    return removed
  }

  function setAll(values: HeaderValues): void {
    for (const name in values) headers.set(name, values[name] ?? "")
  }
}
