import type { Clock } from "../apis/contract.ts"
import type { Log } from "../ports/log.ts"
import { type ChargeOutcome, type Store, StoreUnavailable } from "../store/store.ts"
import { messageOf } from "../values/message-of.ts"

/** When a step of calls has failed for longer than this without one success, the service is not ready. Milliseconds. */
const failingMs = 1_000
/** Failures further apart do not belong together. */
const gapMs = 5_000
/** Once no call has failed for this long, the probe decides: a proxy sends no calls to a service that is not ready. */
const quietMs = 500
/** A probe may find room on a full disk where a charge finds none. So many do not. */
const probesAfterFailures = 3

/** A store whose calls are watched. A store as it was opened has no `ready`, so that nothing serves calls with it by mistake. */
export interface WatchedStore extends Omit<Store, "ping"> {
  /** Resolves when the database can record charges and calls have not failed: a probe need not meet what they meet. */
  ready(): Promise<void>
}

/** Watches the calls of a store. Logs when it is no longer ready, and when it is again. */
export function watchStore(
  store: Store,
  { monotonicMs }: Pick<Clock, "monotonicMs">,
  log: Pick<Log, "warn" | "info">,
): WatchedStore {
  let isReady = true
  const keys = createStreak(monotonicMs)
  const rates = createStreak(monotonicMs)
  const charges = createStreak(monotonicMs)

  async function probe(): Promise<void> {
    const streaks = [keys, rates, charges]
    const failing = streaks.find(({ isFailing }) => isFailing())
    if (!failing) return store.ping()
    failing.requireQuiet()
    for (let probes = 0; probes < probesAfterFailures; probes++) await store.ping()
    for (const streak of streaks) streak.end()
  }

  const { ping: _, ...unwatched } = store
  return {
    ...unwatched,
    findKey(secretHash) {
      try {
        const found = store.findKey(secretHash)
        if (found instanceof Promise) found.then(keys.end, keys.fail)
        else keys.end()
        return found
      } catch (cause) {
        keys.fail(cause)
        throw cause
      }
    },
    takeRates(takes, now) {
      const taken = store.takeRates(takes, now)
      taken.then(rates.end, rates.fail)
      return taken
    },
    charge(asked, onDecided) {
      const charged = store.charge(asked, onDecided)
      charged.then((outcomes) => {
        const failure = causeOf(outcomes[0])
        // One of several accounts may wait for a row that the others do not need.
        if (failure && outcomes.every(causeOf)) charges.fail(failure)
        else charges.end()
      }, charges.fail)
      return charged
    },
    async ready() {
      try {
        await probe()
        if (!isReady) log.info("ready again", {})
        isReady = true
      } catch (cause) {
        if (isReady) log.warn("not ready", { cause: messageOf(cause) })
        isReady = false
        throw cause
      }
    },
  }
}

function causeOf(outcome: ChargeOutcome | undefined): StoreUnavailable | null {
  return outcome?.charged === false && outcome.cause instanceof StoreUnavailable ? outcome.cause : null
}

/** Failures of one step of calls without a success between them. */
function createStreak(monotonicMs: () => number) {
  let firstMs = 0
  let lastMs = Number.NEGATIVE_INFINITY
  let cause: StoreUnavailable | null = null
  return {
    fail(thrown: unknown): void {
      // Any other error is a bug, and does not make the store unavailable.
      if (!(thrown instanceof StoreUnavailable)) return
      const nowMs = monotonicMs()
      if (cause === null || nowMs - lastMs > gapMs) firstMs = nowMs
      lastMs = nowMs
      cause = thrown
    },
    end(): void {
      cause = null
    },
    isFailing: () => cause !== null && lastMs - firstMs > failingMs,
    /** @throws StoreUnavailable while calls fail */
    requireQuiet(): void {
      if (cause === null || monotonicMs() - lastMs > quietMs) return
      throw new StoreUnavailable(`All calls have failed for over a second. ${cause.message}`, { cause })
    },
  }
}
