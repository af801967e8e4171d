/** The charges of each account since the last `take`. */
export interface AccountSums {
  add(accountId: string, calls: number, credits: number): void
  /** Returns the sums by account, and starts anew. */
  take(): ReadonlyMap<string, AccountSum>
  /** Calls that were left out since the start, because there were too many accounts. */
  leftOut(): number
}

interface AccountSum {
  calls: number
  credits: number
}

/**
 * @param maxAccounts accounts that are kept at once, which bounds the memory
 * @param isOn whether anything is kept
 */
export function createAccountSums(maxAccounts: number, isOn: () => boolean): AccountSums {
  let sums = new Map<string, AccountSum>()
  let leftOut = 0
  return {
    add(accountId, calls, credits) {
      if (!isOn()) return
      const sum = sums.get(accountId)
      if (sum) {
        sum.calls += calls
        sum.credits += credits
      } else if (sums.size < maxAccounts) sums.set(accountId, { calls, credits })
      else leftOut += calls
    },
    take() {
      const taken = sums
      sums = new Map()
      return taken
    },
    leftOut: () => leftOut,
  }
}
