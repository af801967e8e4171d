import type { Timer } from "../../../apis/contract.ts"
import { Fault } from "../../../call/fault.ts"
import { isPagePath, prefersPage } from "../page-routes.ts"
import { pathAndQueryOf, pathOf } from "../request.ts"

/** The most sessions at once. */
export const maxSessions = 1_000
/** A session ends after this time without a request, in real time. */
const idleMs = 600_000

/** Names the session of a request. The path `/s/ID/…` does so too. */
export const sessionHeader = "x-mock-session"

const sessionCookie = "mock-session"
/** Lets a browser whose session has ended reach the shared mock again. */
export const endOfCookie = `${sessionCookie}=; Path=/; Max-Age=0`
const cookieForm = new RegExp(`(?:^|; )${sessionCookie}=([^;]*)`)

/** The control paths. A cookie does not change them: they are those of the shared mock without a base path or header. */
export const controlPaths = /^\/_mock(?:\/|$)/

const basePath = /^\/s\/([^/?]*)([^?]*)(.*)$/s

export type Sessions = ReturnType<typeof createSessions>

interface Session<Place> {
  /** Null until the first request: a test run may make more sessions than it uses, and a mock takes memory. */
  opened: Promise<Place> | null
  inUse: number
  /** Stops waiting for the end of the idle time. */
  keep(): void
}

/**
 * Keeps apart what parallel tests do on one mock: each session is a separate mock.
 * @param parts.open makes the mock that answers below a base path
 */
export function createSessions<Place>(parts: {
  readonly open: (base: string) => Promise<Place>
  readonly close: (place: Place) => Promise<void>
  /** Told when a session that was idle could not be closed. */
  readonly onProblem: (cause: unknown) => void
  readonly timer: Timer
}) {
  const sessions = new Map<string, Session<Place>>()
  let made = 0

  function find(id: string): Session<Place> {
    const session = sessions.get(id)
    if (session) return session
    const cause = "It has ended, or was never made: one ends after ten minutes without a request."
    throw new Fault("notFound", `There is no such session. ${cause} POST /_mock/sessions makes one.`)
  }

  const waitForIdle = (id: string) => parts.timer.after(idleMs, () => void end(id).catch(parts.onProblem))

  async function end(id: string): Promise<void> {
    const { opened, keep } = find(id)
    keep()
    sessions.delete(id)
    if (opened) await parts.close(await opened)
  }

  return {
    /**
     * Makes a session and returns its id. Ids are counted, so that each run has the same.
     * @throws Fault when there are too many
     */
    create(): string {
      if (sessions.size >= maxSessions) {
        const advice =
          "End one with DELETE /_mock/sessions/ID. Each ends after ten minutes without a request."
        throw new Fault("rateLimited", `There are ${maxSessions} sessions, the most at once. ${advice}`)
      }
      const id = String(++made)
      sessions.set(id, { opened: null, inUse: 0, keep: waitForIdle(id) })
      return id
    },
    ids: () => [...sessions.keys()],
    /** @throws Fault for an id without a session */
    end,
    /**
     * Does the work of a request in its session.
     * @throws Fault for an id without a session: the shared mock would answer with what other tests did to it
     */
    async use<T>(id: string, work: (place: Place) => Promise<T>): Promise<T> {
      const session = find(id)
      session.keep()
      session.inUse++
      try {
        session.opened ??= parts.open(baseOf(id))
        return await work(await session.opened)
      } finally {
        session.inUse--
        if (session.inUse === 0 && sessions.get(id) === session) session.keep = waitForIdle(id)
      }
    },
  }
}

/** The base path of a session. */
export function baseOf(id: string): string {
  return `/s/${id}`
}

/**
 * The session that a request names in its path, its header, or the cookie of {@link toPages}; null without one. The base path is
 * taken off the request's URL.
 * @throws Fault when path and header name two
 */
export function takeSession(request: Request) {
  const { headers, url } = request
  const named = headers.get(sessionHeader)
  const target = pathAndQueryOf(url)
  const [, id, path, query] = basePath.exec(target) ?? []
  if (id === undefined) {
    const cookie = controlPaths.test(pathOf(url)) ? null : cookieForm.exec(headers.get("cookie") ?? "")
    return { id: named ?? cookie?.[1] ?? null, opensPage: false }
  }
  if (named !== null && named !== id) {
    const problem = `must name the session of the path, '/s/${id.slice(0, 20)}', or be left out`
    throw new Fault("inputRejected", `The request header '${sessionHeader}' ${problem}.`)
  }
  // A property and not a new Request: Bun knows the connection of the original one only.
  Object.defineProperty(request, "url", { value: `${url.slice(0, -target.length)}${path || "/"}${query}` })
  return { id, opensPage: prefersPage(request) && isPagePath(request.url) }
}

/**
 * Sends a browser from a page below a base path to the same page without it: the links of pages begin with a slash. The cookie
 * says from then on which session it means.
 */
export function toPages(id: string, { url }: Request): Response {
  const cookie = `${sessionCookie}=${id}; Path=/; HttpOnly; SameSite=Lax`
  // Two slashes would begin another host.
  const location = pathAndQueryOf(url).replace(/^[/\\]+/, "/")
  return new Response(null, { status: 303, headers: { location, "set-cookie": cookie } })
}
