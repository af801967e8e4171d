/** Resolves when `holds` does; it is asked once per turn of the event loop, for what tells nobody when it happens. */
export async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await holds())) await new Promise((resolve) => setImmediate(resolve))
}
