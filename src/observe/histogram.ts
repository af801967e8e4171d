/** Counts values by size. `counts[i]` is the number of values up to `bounds[i]`; the last count is for larger values. */
export interface Histogram {
  readonly bounds: readonly number[]
  readonly counts: Float64Array
  sum: number
}

/** @param bounds upper bounds in ascending order */
export function createHistogram(bounds: readonly number[]): Histogram {
  return { bounds, counts: new Float64Array(bounds.length + 1), sum: 0 }
}

/** Counts a value. */
export function record(histogram: Histogram, value: number): void {
  const { bounds, counts } = histogram
  let index = 0
  // Most values are small, so this is faster than a binary search.
  while (index < bounds.length && value > (bounds[index] ?? 0)) index++
  counts[index] = (counts[index] ?? 0) + 1
  histogram.sum += value
}
