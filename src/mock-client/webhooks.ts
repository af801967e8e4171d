import { performance } from "node:perf_hooks"
import { setTimeout as wait } from "node:timers/promises"

/** The parts of a webhook message that the wait looks at. */
interface Notice {
  readonly id: string
  readonly type: string
  readonly state: string
  readonly reason: string | null
  readonly next_attempt: string | null
}

/** How often a wait for webhooks looks again. */
const pollMs = 25

/**
 * Waits until enough webhooks are delivered, and returns those.
 * @throws Error when they do not come; the message tells of the others of the type, or which types there are
 */
export async function waitForWebhooks<N extends Notice>(
  notices: () => Promise<readonly N[]>,
  filter: { readonly type?: string; readonly count?: number; readonly timeoutMs?: number } = {},
): Promise<readonly N[]> {
  const { type, count = 1, timeoutMs = 5_000, ...others } = filter
  for (const other of Object.keys(others))
    throw new Error(`penknife mock: webhooks has no option '${other}'; there are type, count, timeoutMs`)
  const startMs = performance.now()
  // Also counted, since a test may have stopped its clock.
  for (let waitedMs = 0; ; waitedMs += pollMs) {
    const all = await notices()
    const wanted = all.filter((notice) => type === undefined || notice.type === type)
    const delivered = wanted.filter(({ state }) => state === "delivered")
    if (delivered.length >= count) return delivered
    if (!(Math.max(waitedMs, performance.now() - startMs) < timeoutMs)) {
      const others = wanted.filter(({ state }) => state !== "delivered").map(describe)
      const kind = type === undefined ? "" : ` of the type '${type}'`
      const found = `${delivered.length} of ${count} webhooks${kind} were delivered in ${timeoutMs} ms`
      const types = [...new Set(all.map((notice) => notice.type))].join(", ") || "none"
      const hint = wanted.length === 0 ? [`types that were raised: ${types}`] : []
      throw new Error(`penknife mock: ${[found, ...others, ...hint].join("\n  ")}`)
    }
    await wait(pollMs)
  }
}

/** Without a reason an attempt is under way or waits for its turn: its next attempt is only due if no answer comes. */
function describe({ id, type, state, reason, next_attempt }: Notice): string {
  const next = reason === null || next_attempt === null ? "" : `; it is tried next at ${next_attempt}`
  return `${type} ${id} is ${state}: ${reason ?? "no answer so far"}${next}`
}
