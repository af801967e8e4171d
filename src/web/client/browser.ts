/** The network, time and randomness of the browser, in one place. */

export const sendRequest = (path: string, init: RequestInit): Promise<Response> => fetch(path, init)

/** Server-sent events (HTML Standard §9.2). The browser begins them again when the connection breaks. */
export const openEvents = (path: string): EventSource => new EventSource(path)

/** The present time of the browser's clock, in milliseconds. */
export const nowMs = (): number => Date.now()

/** Opens the window of the browser that prints the page. */
export const printPage = (): void => print()

/** Calls `run` once, later. The result cancels it. */
export function after(delayMs: number, run: () => void): () => void {
  const timer = setTimeout(run, delayMs)
  return () => clearTimeout(timer)
}

/**
 * Joins the tabs of this browser that use the same name.
 * @param onTold called when another tab sends the message
 */
export function joinOtherTabs(name: string, onTold: () => void) {
  const channel = new BroadcastChannel(name)
  channel.onmessage = onTold
  return { tell: () => channel.postMessage("") }
}

/** A new id that nobody can guess. `crypto.randomUUID` exists under HTTPS and on localhost only. */
export function randomId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  return [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("")
}
