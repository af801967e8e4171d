import { join } from "node:path"

/** The turns of a service's event loop that others had to wait for. */
export interface SeenTurns {
  /**
   * The most processor time that the service's main thread used during one request for `/health`: its longest turn, and at most
   * the rest of the turn before it and the requests of the turn after it. Unlike the duration of the request, it does not
   * include waits for a processor that other programs use.
   */
  readonly longestMs: number
  /** The longest request for `/health` by the clock, in milliseconds. A busy machine makes it longer. */
  readonly longestWaitMs: number
  /** How many requests for `/health` were answered meanwhile. */
  readonly answers: number
}

/**
 * Watches the turns of a service in another process while it answers something. The time that a whole answer takes says little:
 * a stream of many short turns holds up nobody. A thread of its own watches, since this one may be busy reading the answer.
 */
export async function watchTurns<T>(
  { url, pid }: { readonly url: string; readonly pid: number },
  work: () => Promise<T>,
): Promise<SeenTurns & { readonly result: T }> {
  const thread = new Worker(join(import.meta.dir, "turn-watch-thread.ts"))
  const next = () =>
    new Promise<SeenTurns>((resolve, reject) => {
      thread.addEventListener("message", ({ data }) => resolve(data), { once: true })
      thread.addEventListener("error", ({ message }) => reject(new Error(message)), { once: true })
    })
  try {
    const ready = next()
    thread.postMessage({ url, pid })
    await ready
    const result = await work()
    const seen = next()
    thread.postMessage("stop")
    return { ...(await seen), result }
  } finally {
    thread.terminate()
  }
}
