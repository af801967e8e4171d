/** The processor time of this process, in milliseconds, while `work` runs. Unlike the time that passes, a busy machine does not change it much. */
export async function processorMs(work: () => unknown): Promise<number> {
  const before = process.cpuUsage()
  await work()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1_000
}
