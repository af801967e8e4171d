/** Observations counted by size, in plain numbers: `counts[i]` are those up to `bounds[i]`, the last one all above. */
export interface Histogram {
  readonly bounds: readonly number[]
  readonly counts: Float64Array
  sum: number
}

/** @param bounds upper bounds, rising */
export function createHistogram(bounds: readonly number[]): Histogram {
  return { bounds, counts: new Float64Array(bounds.length + 1), sum: 0 }
}

export function record(histogram: Histogram, value: number): void {
  const { bounds, counts } = histogram
  let index = 0
  // Most values are among the first bounds, so this is faster than halving.
  while (index < bounds.length && value > (bounds[index] ?? 0)) index++
  counts[index] = (counts[index] ?? 0) + 1
  histogram.sum += value
}
