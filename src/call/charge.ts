import { type Balance, balanceOf, covers } from "../account/credits.ts"
import type { Clock } from "../apis/contract.ts"
import type { Charge, ChargeOutcome, Store } from "../store/store.ts"
import { Fault } from "./fault.ts"
import type { Caller } from "./gate.ts"

/** A call that is to be paid for if it succeeds. */
export interface Hold {
  readonly caller: Caller
  readonly api: string
  readonly credits: number
  readonly balance: Balance
}

export interface Charges {
  /** Before the run: refuses a call that the balance, as last read, cannot cover. Nothing is stored. */
  hold(caller: Caller, api: string, credits: number): Hold
  /** After success and before the answer leaves: the database decides and commits, or the call becomes the refusal. */
  settle(hold: Hold): Promise<void>
}

interface Waiting {
  readonly charge: Charge
  readonly done: (outcome: ChargeOutcome) => void
  readonly failed: (cause: unknown) => void
}

/** All charges that arrive in one turn of the event loop share one transaction, so that a busy server commits rarely. */
export function createCharges(store: Store, clock: Clock): Charges {
  let waiting: Waiting[] = []

  async function flush(): Promise<void> {
    const batch = waiting
    waiting = []
    try {
      const outcomes = await store.charge(batch.map(({ charge }) => charge))
      for (const [index, { done, failed }] of batch.entries()) {
        const outcome = outcomes[index]
        if (outcome) done(outcome)
        else failed(new Error("the store answered fewer outcomes than it was given charges"))
      }
    } catch (cause) {
      for (const { failed } of batch) failed(cause)
    }
  }

  function submit(charge: Charge): Promise<ChargeOutcome> {
    return new Promise((done, failed) => {
      if (waiting.length === 0) setImmediate(flush)
      waiting.push({ charge, done, failed })
    })
  }

  return {
    hold(caller, api, credits) {
      const balance = balanceOf(caller.account, caller.plan, clock.now())
      if (!covers(balance, credits)) throw creditsUsedUp(balance, credits)
      return { caller, api, credits, balance }
    },
    async settle({ caller, api, credits, balance }) {
      const outcome = await submit({
        accountId: caller.account.id,
        api,
        calls: 1,
        credits,
        allowance: balance.allowance,
        periodStartMs: balance.period.startMs,
        day: new Date(clock.now()).toISOString().slice(0, 10),
      })
      if (!outcome.charged) throw creditsUsedUp(balance, credits)
    },
  }
}

function creditsUsedUp(balance: Balance, credits: number): Fault {
  const renewal = new Date(balance.period.endMs).toISOString()
  const needed = credits === 1 ? "1 credit" : `${credits} credits`
  return new Fault(
    "creditsUsedUp",
    `The credits of this account are used up: this call needs ${needed}. Credits renew at ${renewal}.`,
  )
}
