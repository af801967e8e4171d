import { createId } from "../../accounts/key.ts"
import type { Random } from "../../apis/contract.ts"

/**
 * Makes ids of audit records. The log is sorted by time and id, so ids of one millisecond rise in the order in which this process
 * makes them.
 */
export function createAuditIds(random: Random): (atMs: number) => string {
  let lastMs = Number.NaN
  let count = 0
  return (atMs) => {
    count = atMs === lastMs ? count + 1 : 0
    lastMs = atMs
    const place = atMs.toString(36).padStart(9, "0") + count.toString(36).padStart(4, "0")
    return createId(`aud_${place}`, random)
  }
}
