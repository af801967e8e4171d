/**
 * Turns of tests that take long and rarely fail: each day tries a part of them, so that after some days all were tried.
 * `bun run check --all` tries everything, and so does `PENKNIFE_TEST_ALL=1 bun test FILE`.
 */

/** Whether everything is tried. */
export const isAll = process.env.PENKNIFE_TEST_ALL === "1"
const today = Math.floor(Date.now() / 86_400_000)

/** Whether the one with this number has its turn today: it has it every so many days. */
export function hasTurn(place: number, days: number): boolean {
  return isAll || (place + today) % days === 0
}

/** The part of a list that has its turn today. */
export function ofTheDay<Value>(all: readonly Value[], days: number): readonly Value[] {
  return all.filter((_, place) => hasTurn(place, days))
}
