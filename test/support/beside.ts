/** The waits of ordinary callers of a service in another process, and their answers, while others do their worst. */
import { keepAliveTimer } from "../../src/ports/timer.ts"
import { type SeenTurns, watchTurns } from "./turn-watch.ts"
import type { WatchedService } from "./worst-inputs.ts"

/** The results of the ordinary calls, and the turns that they had to wait for. */
export interface Seen extends SeenTurns {
  /** Answers that were not as they should be. */
  readonly wrong: readonly string[]
}

/**
 * Asks for the paths, one after the other, until `work` is done. Each path has a text that its answer must have. The turns are
 * watched from a thread of their own: this one is busy with what the others send and are sent.
 */
export async function watchBeside(
  { url, pid, key }: WatchedService,
  paths: Readonly<Record<string, string>>,
  work: () => Promise<void>,
): Promise<Seen> {
  const wrong: string[] = []
  const seen = await watchTurns({ url, pid }, async () => {
    let isOver = false
    const done = work().finally(() => {
      isOver = true
    })
    do {
      for (const [path, expected] of Object.entries(paths)) {
        const answer = await fetch(`${url}${path}`, { headers: { "x-api-key": key } })
        const body = await answer.text()
        if (answer.status !== 200 || !body.includes(expected)) wrong.push(`${path}: ${answer.status} ${body}`)
      }
      await new Promise<void>((resolve) => keepAliveTimer.after(5, resolve))
    } while (!isOver)
    await done
  })
  return { ...seen, wrong }
}

/**
 * The least of the longest turns of up to three times. Collecting the memory of earlier calls may take long in any turn, and so
 * does the first use of code: what is long each time is of the calls themselves.
 */
export async function leastOfTurns(limitMs: number, play: () => Promise<SeenTurns>): Promise<number> {
  let leastMs = Number.POSITIVE_INFINITY
  for (let times = 0; times < 3 && leastMs >= limitMs; times++)
    leastMs = Math.min(leastMs, (await play()).longestMs)
  return leastMs
}

/** How many answers of which status there were. */
export function countsOf(statuses: readonly number[]): string {
  const counts = [...Map.groupBy(statuses, (status) => status)]
  return counts
    .map(([status, all]) => `${status}: ${all.length}`)
    .sort()
    .join(", ")
}

/** Works through a list, so many at a time. */
export async function inParallel<Item>(
  items: readonly Item[],
  count: number,
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const waiting = [...items]
  const worker = async () => {
    for (let item = waiting.shift(); item !== undefined; item = waiting.shift()) await work(item)
  }
  await Promise.all(Array.from({ length: count }, worker))
}
