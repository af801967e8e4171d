/** A call that waits for a thread. */
export interface WaitingCall {
  readonly account: string
  /** Whether it has waited so long that another thread may be started for it. */
  readonly isDue: boolean
}

/** Calls that wait for a thread. Accounts take turns, so that nobody waits for all calls of another account. */
export function createWaitingCalls<Call extends WaitingCall>() {
  /** The calls of each account, oldest first. The account whose turn is next is the first. */
  const byAccount = new Map<string, Call[]>()
  let count = 0
  return {
    count: () => count,
    countOf: (account: string) => byAccount.get(account)?.length ?? 0,
    add(call: Call) {
      const calls = byAccount.get(call.account)
      if (calls) calls.push(call)
      else byAccount.set(call.account, [call])
      count++
    },
    /** Takes the oldest call of the first account that has room, and puts that account last. Null if there is none. */
    takeNext(roomOf: (account: string) => number): Call | null {
      for (const [account, calls] of byAccount) {
        if (roomOf(account) <= 0) continue
        byAccount.delete(account)
        const call = calls.shift()
        if (calls.length > 0) byAccount.set(account, calls)
        if (!call) continue
        count--
        return call
      }
      return null
    },
    /** How many calls could run now if there were a thread for each; with `areDue`, of those that are due. */
    runnable(roomOf: (account: string) => number, areDue: boolean): number {
      let sum = 0
      for (const [account, calls] of byAccount) {
        const ready = areDue ? calls.filter(({ isDue }) => isDue) : calls
        sum += Math.min(ready.length, Math.max(0, roomOf(account)))
      }
      return sum
    },
    /** Takes all calls. */
    takeAll(): Call[] {
      const all = [...byAccount.values()].flat()
      byAccount.clear()
      count = 0
      return all
    },
  }
}
