import { latencyBoundsMs } from "../../values/latency-bounds.ts"

/**
 * The duration in milliseconds that a share of requests did not exceed, read off between the bounds of a class; null without
 * requests. Of the longest ones only the bound is known.
 * @param counts requests by duration, one number for each class
 * @param share such as 0.99
 */
export function percentileOf(counts: readonly number[], share: number): number | null {
  const total = counts.reduce((sum, count) => sum + count, 0)
  if (total === 0) return null
  let before = 0
  for (const [index, count] of counts.entries()) {
    const upper = latencyBoundsMs[index]
    if (upper === undefined) break
    if (count > 0 && before + count >= share * total) {
      const lower = latencyBoundsMs[index - 1] ?? 0
      return round(lower + ((share * total - before) / count) * (upper - lower))
    }
    before += count
  }
  return latencyBoundsMs.at(-1) ?? null
}

function round(ms: number): number {
  return Math.round(ms * 1_000) / 1_000
}
