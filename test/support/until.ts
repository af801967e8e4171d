import { keepAliveTimer } from "../../src/ports/timer.ts"

/** The turns of the event loop within which a near event comes. */
const nearTurns = 200

/**
 * Resolves when `holds` is true, for changes that no promise reports. It is called once per turn of the event loop, and once a
 * millisecond when it takes longer: what the test waits for may need the processor.
 */
export async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  for (let turn = 0; !(await holds()); turn++) {
    if (turn < nearTurns) await keepAliveTimer.turn()
    else await new Promise<void>((resolve) => keepAliveTimer.after(1, resolve))
  }
}
