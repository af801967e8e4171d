/**
 * Turns of tests that take long and rarely fail. The check of a commit tries a part of them, which follows from the commit: it
 * has the same result each day, and other commits try the rest. A file that is run by itself tries everything, and so does
 * `bun run check --all`.
 */

/** A number that `scripts/check.ts` makes of the commit. */
const turn = process.env.PENKNIFE_TEST_TURN

/** Whether everything is tried. */
export const isAll = turn === undefined

/**
 * Whether the test with this number has its turn: one commit of `parts` tries it.
 * @param within the parts of the test around it. Without them it would look at the same commits, and some would never come
 */
export const hasTurn = (place: number, parts: number, within = 1): boolean =>
  isAll || (place + Math.floor(Number(turn) / within)) % parts === 0

/** The part of a list that has its turn. */
export const inTurn = <Value>(all: readonly Value[], parts: number, within = 1): readonly Value[] =>
  all.filter((_, place) => hasTurn(place, parts, within))
