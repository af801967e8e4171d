import type { GiveWay } from "../contract.ts"

/** Work that is divided into short steps: it yields after each, and returns its result. */
export type Steps<Result> = Generator<void, Result, void>

/** Does all steps, and lets other work in between them. Returns a promise only when there is more than one. */
export function finish<Result>(steps: Steps<Result>, giveWay: GiveWay): Result | Promise<Result> {
  const { done, value } = steps.next()
  return done ? value : finishLater(steps, giveWay)
}

async function finishLater<Result>(steps: Steps<Result>, giveWay: GiveWay): Promise<Result> {
  for (;;) {
    const pause = giveWay()
    if (pause) await pause
    const { done, value } = steps.next()
    if (done) return value
  }
}

/** A step looks at about this many UTF-16 units. The slowest of them take 6 ms to compare. */
const unitsOfStep = 10_000
/** Work on an item that does not depend on its length, in units. */
const unitsOfItem = 16

/** Returns a function to call with the length of each item of the work; it says when a step is over. */
export function createStepMeter(): (length: number) => boolean {
  let units = 0
  return (length) => {
    units += length + unitsOfItem
    if (units < unitsOfStep) return false
    units = 0
    return true
  }
}
