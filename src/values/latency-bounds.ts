/** Upper bounds of the classes of durations, in milliseconds. The store has a column for each: never change them. */
export const latencyBoundsMs: readonly number[] = [
  0.5, 1, 2.5, 5, 10, 25, 50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000,
]
