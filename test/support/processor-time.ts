import { expect } from "bun:test"
import { readFileSync } from "node:fs"

/**
 * The processor time of this process, in milliseconds, while `work` runs. Unlike the time that passes, a busy machine does not
 * change it much.
 */
export async function processorMs(work: () => unknown): Promise<number> {
  const before = process.cpuUsage()
  await work()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1_000
}

/** The runtime may compile or collect garbage beside some turns of the same work, not beside each. */
const turns = 4

/** The least {@link processorMs} of four turns. */
export async function leastProcessorMs(work: () => unknown): Promise<number> {
  let leastMs = Number.POSITIVE_INFINITY
  for (let turn = 0; turn < turns; turn++) leastMs = Math.min(leastMs, await processorMs(work))
  return leastMs
}

/** Expects {@link leastProcessorMs} below a limit, which is known as soon as one turn is. */
export async function expectWithinProcessorMs(limitMs: number, work: () => unknown): Promise<void> {
  let leastMs = Number.POSITIVE_INFINITY
  for (let turn = 0; turn < turns && leastMs >= limitMs; turn++)
    leastMs = Math.min(leastMs, await processorMs(work))
  expect(leastMs).toBeLessThan(limitMs)
}

/** The processor time of another process, of user and system (proc(5) stat, in hundredths of a second). */
export function processMs(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, "latin1")
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ")
  return (Number(fields[11]) + Number(fields[12])) * 10
}

/** The processor time of the main thread of a process, in milliseconds; 0 on systems that do not tell it. */
export function mainThreadMs(pid: number): number {
  if (process.platform !== "linux") return 0
  const [nanoseconds] = readFileSync(`/proc/${pid}/task/${pid}/schedstat`, "latin1").split(" ")
  return Number(nanoseconds) / 1e6
}
