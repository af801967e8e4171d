/** Measures the waits of ordinary callers of a service in another process, while others do their worst. */
import { keepAliveTimer } from "../../src/ports/timer.ts"
import { mainThreadMs } from "./processor-time.ts"
import type { WatchedService } from "./worst-inputs.ts"

/** The results of the ordinary calls. */
export interface Seen {
  /** The most processor time of the service's main thread during one request for `/health`. */
  longestMs: number
  answers: number
  /** Answers that were not as they should be. */
  wrong: string[]
}

/** Asks for `/health` and the paths, one after the other, until `isOver`. Each path has a text that its answer must have. */
export async function watchBeside(
  { url, pid, key }: WatchedService,
  paths: Readonly<Record<string, string>>,
  isOver: () => boolean,
): Promise<Seen> {
  const seen: Seen = { longestMs: 0, answers: 0, wrong: [] }
  const ask = async (path: string, expected: string) => {
    const startedMs = mainThreadMs(pid)
    const answer = await fetch(`${url}${path}`, { headers: { "x-api-key": key } })
    const body = await answer.text()
    if (path === "/health") seen.longestMs = Math.max(seen.longestMs, mainThreadMs(pid) - startedMs)
    if (answer.status !== 200 || !body.includes(expected))
      seen.wrong.push(`${path}: ${answer.status} ${body}`)
    seen.answers++
  }
  do {
    await ask("/health", "")
    for (const [path, expected] of Object.entries(paths)) await ask(path, expected)
    await new Promise<void>((resolve) => keepAliveTimer.after(5, resolve))
  } while (!isOver())
  return seen
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
