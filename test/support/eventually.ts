import { keepAliveTimer } from "../../src/ports/timer.ts"

/** How long a page may take: generous, since a machine with other work is several times slower. */
const limitMs = 30_000
/** Between two looks at a page, so that the page gets the processor. */
const pauseMs = 20

/**
 * Calls `check` again until it throws nothing, for what a page shows some time after it was asked for. When the time is over it
 * throws what `check` threw last, which says what was expected and what was found.
 * @example await eventually(async () => expect(await rows.count()).toBe(1))
 */
export async function eventually(check: () => Promise<void>): Promise<void> {
  const endMs = performance.now() + limitMs
  for (;;) {
    try {
      return await check()
    } catch (thrown) {
      if (performance.now() > endMs) throw thrown
    }
    await new Promise<void>((resolve) => keepAliveTimer.after(pauseMs, resolve))
  }
}
