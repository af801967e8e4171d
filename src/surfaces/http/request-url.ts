import { Elysia } from "elysia"

/** Where Elysia starts to look for the path in a URL. A shorter host would make it miss the first slash. */
const pathSearchStart = 11

/**
 * Makes an app that listens. Before anything is done for a request, `begin` may return a promise to wait for. The app puts into
 * each request a URL in which Elysia and graphql-yoga find the path. Without it they miss the path of a short host such as
 * `https://a/`, and of a request of HTTP/1.0 without a host, whose URL is the path alone in Bun (oven-sh/bun#33721).
 */
export function createListeningApp(begin: (request: Request) => Promise<void> | undefined = () => undefined) {
  // Elysia finds the routes: Bun cannot replace those of an app that it was given, and would get each of them twice.
  const app = new Elysia({ systemRouter: false })
  return app.wrap((handle, request) => {
    const url = toReadableUrl(request.url)
    // A property and not a new Request: Bun knows the connection of the original one only.
    if (url !== request.url) Object.defineProperty(request, "url", { value: url })
    const pause = begin(request)
    return pause ? (later: Request) => pause.then(() => handle(later)) : handle
  })
}

function toReadableUrl(url: string): string {
  if (url.startsWith("/")) return `http://localhost${url}`
  const start = pathStart(url)
  return start < pathSearchStart ? `http://localhost${url.slice(start)}` : url
}

/** The path of an absolute URL, as it was sent. By text: `new URL` would resolve `..` and escape characters. */
export function pathOf(url: string): string {
  const start = pathStart(url)
  const end = url.indexOf("?", start)
  return url.slice(start, end === -1 ? url.length : end)
}

/** The path and query of an absolute URL, as they were sent. */
export function pathAndQueryOf(url: string): string {
  return url.slice(pathStart(url))
}

/** The place of the path in an absolute URL, after a host of one character at least. */
function pathStart(url: string): number {
  return url.indexOf("/", "http://".length + 1)
}
