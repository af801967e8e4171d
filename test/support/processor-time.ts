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

/** The least {@link processorMs} of four turns: the runtime may compile or collect garbage beside some, not beside each. */
export async function leastProcessorMs(work: () => unknown): Promise<number> {
  let leastMs = Number.POSITIVE_INFINITY
  for (let turn = 0; turn < 4; turn++) leastMs = Math.min(leastMs, await processorMs(work))
  return leastMs
}
