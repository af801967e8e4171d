import { createId } from "../../accounts/key.ts"
import type { Random } from "../../apis/contract.ts"

/**
 * Makes ids of audit records. Those that this process made in one millisecond sort in the order in which they were made, as
 * the log is read in the order of times and ids.
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
