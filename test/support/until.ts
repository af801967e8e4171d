/** Resolves when `holds` is true. It is called once per turn of the event loop, for changes that no promise reports. */
export async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await holds())) await new Promise((resolve) => setImmediate(resolve))
}
