import { signal } from "@preact/signals"
import { area } from "./address.ts"
import { after, sendRequest } from "./browser.ts"

/** False while the service does not answer. */
export const isReachable = signal(true)

/** Rises each time the service is back, so that failed readings are repeated. */
export const returns = signal(0)

const firstDelayMs = 1_000
const maxDelayMs = 10_000

/** Call it when no answer came. It asks the service again, less and less often, until it answers. */
export function noteUnreachable(): void {
  if (!isReachable.value) return
  isReachable.value = false
  ask(firstDelayMs)
}

export function noteReachable(): void {
  if (isReachable.value) return
  isReachable.value = true
  returns.value++
}

function ask(delayMs: number): void {
  after(delayMs, async () => {
    if (isReachable.value) return
    try {
      await sendRequest(`${area.base}/session`, { cache: "no-store" })
      noteReachable()
    } catch {
      // Still gone: asked again later.
      ask(Math.min(delayMs * 2, maxDelayMs))
    }
  })
}
