/** What a store has done since the process started, for metrics. The numbers only rise. */
export interface StoreActivity {
  /** Transactions or statements that charged. */
  batches: number
  /** Charges in them. */
  charges: number
  /** Charges that were refused, because credits were used up or the account was closed. */
  refusals: number
  /** Seconds that charges waited for their turn to be sent, added up. Databases on a server only. */
  waitSeconds: number
  /** Seconds from sending a batch to its answer, added up. Databases on a server only. */
  roundTripSeconds: number
}

export function createActivity(): StoreActivity {
  return { batches: 0, charges: 0, refusals: 0, waitSeconds: 0, roundTripSeconds: 0 }
}
