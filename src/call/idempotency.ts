import type { Clock } from "../apis/contract.ts"
import { type FirstCharge, type IdempotencyKey, keepReplaysMs, type Store } from "../store/store.ts"
import type { Caller } from "./caller.ts"
import { Fault, fixedFault } from "./fault.ts"
import type { FindLiveAccount } from "./live-account.ts"

/** A call with an Idempotency-Key, between its input and its charge. */
export interface IdempotentCall extends IdempotencyKey {
  /** The charge of the first call with the key: this one is answered, and not charged. Null for the first. */
  firstCharge: FirstCharge | null
  /** Whether it has succeeded. */
  isAnswered: boolean
}

/** Begins calls with an Idempotency-Key. The calls under way are kept with the account, and the charged ones in the store. */
export function createIdempotentCalls(
  store: Pick<Store, "findFirstCharge" | "countReplay" | "giveBackReplay">,
  clock: Clock,
  findLive: FindLiveAccount,
) {
  return {
    /**
     * Begins a call and finds out whether it was charged before. `end` must be called when it is over.
     * @param asksOthers whether the call asks servers of others, which each replay would ask again
     * @returns `idempotent` is null when such a call had its replays: it is charged as one without a key
     * @throws Fault when a call with the key is under way, the key was used for another input, or it had all its replays
     */
    async begin(
      caller: Caller,
      { keyHash, inputHash }: Pick<IdempotencyKey, "keyHash" | "inputHash">,
      asksOthers: boolean,
    ): Promise<{ readonly idempotent: IdempotentCall | null; end(): Promise<void> }> {
      const live = findLive(caller)
      live.idempotentUnderWay ??= new Map()
      const { idempotentUnderWay: underWay } = live
      const other = underWay.get(keyHash)
      if (other !== undefined) {
        if (other !== inputHash) throw fixedFault("idempotencyKeyReused")
        throw keyInUse
      }
      underWay.set(keyHash, inputHash)
      const { id } = caller.account
      let counted: IdempotentCall | null = null
      /** A replay that failed has answered nobody, and does not count. */
      const end = async () => {
        try {
          if (counted?.isAnswered === false) await store.giveBackReplay(id, keyHash)
        } finally {
          underWay.delete(keyHash)
        }
      }
      try {
        const nowMs = clock.now()
        const firstCharge = await store.findFirstCharge(id, keyHash, nowMs - keepReplaysMs)
        requireSameInput(inputHash, firstCharge)
        const most = asksOthers ? maxReplaysAskingOthers : maxReplays
        if (firstCharge && !(await store.countReplay(id, keyHash, most))) {
          if (asksOthers) return { idempotent: null, end }
          throw keyUsedUp(firstCharge.createdMs + keepReplaysMs - nowMs)
        }
        const idempotent: IdempotentCall = { keyHash, inputHash, nowMs, firstCharge, isAnswered: false }
        if (firstCharge) counted = idempotent
        return { idempotent, end }
      } catch (thrown) {
        await end()
        throw thrown
      }
    },
  }
}

/** The refusal of a call while another one with its key is under way. */
export const keyInUse = new Fault(
  "idempotencyKeyInUse",
  "A call with this 'Idempotency-Key' is under way. Nothing was charged; send this one again in a second.",
  { retryAfterSeconds: 1 },
)

/** A charged call is answered again so often: a replay is work that nobody pays for. */
export const maxReplays = 10
/** The same of a call that asks servers of others, which did not agree to be asked for nothing. Later ones are charged. */
export const maxReplaysAskingOthers = 2

/** The refusal of a call whose key had all its replays. */
export function keyUsedUp(forgottenInMs: number): Fault {
  return new Fault(
    "idempotencyKeyUsedUp",
    `The call with this 'Idempotency-Key' was answered again ${maxReplays} times already, and no more are free. ` +
      "Nothing was charged; with a new key the call runs and is charged.",
    { retryAfterSeconds: Math.max(1, Math.ceil(forgottenInMs / 1_000)) },
  )
}

/** @throws Fault when a key was used for another input */
export function requireSameInput(inputHash: string, firstCharge: FirstCharge | null): void {
  if (firstCharge !== null && firstCharge.inputHash !== inputHash) throw fixedFault("idempotencyKeyReused")
}
