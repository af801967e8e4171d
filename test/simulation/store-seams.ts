/**
 * The effects of a network and a slow disk on a store: before and after each of its methods something else may happen, the method
 * may fail, or its answer may be lost. The model is told of each commit here.
 */
import type { MailOutbox } from "../../src/store/mails.ts"
import type { ClaimOptions, Outbox } from "../../src/store/outbox.ts"
import { type ChargeOutcome, ChargeUnknown, type Store, StoreUnavailable } from "../../src/store/store.ts"
import type { OpenStore } from "../../src/store/store-options.ts"
import type { SimulatedInstance } from "./instance.ts"
import type { World } from "./world.ts"

const slowChance = 0.1
const slowestMs = 300
const failsChance = 0.02

type Method<Of extends unknown[], Result> = (...of: Of) => Result | Promise<Result>

/** Wraps the parts of an open store. `readings` gives what the clock said while charges were gathered. */
export function withSeams<Opened extends OpenStore>(
  opened: Opened,
  world: World,
  instance: SimulatedInstance,
  readings: () => readonly number[],
): Opened {
  const { kernel, model } = world
  const { store, outbox, mails, admin } = opened

  function seam<Of extends unknown[], Result>(
    label: string,
    method: Method<Of, Result>,
    Lost: new (message: string) => Error = StoreUnavailable,
  ) {
    const point = (end: string) =>
      kernel.point(instance, label + end, kernel.fault(slowChance) ? 1 + kernel.rng.int(slowestMs) : 0)
    return async (...of: Of): Promise<Result> => {
      // At rest nothing comes between, which is cheaper.
      if (kernel.faults === 0) return method(...of)
      await point("?")
      if (kernel.fault(failsChance)) {
        world.count("store fails")
        throw new StoreUnavailable(`simulated: ${label} fails`)
      }
      const result = await method(...of)
      await point("!")
      if (kernel.fault(failsChance)) {
        world.count("answer lost")
        throw new Lost(`simulated: the answer of ${label} is lost`)
      }
      return result
    }
  }

  /** Every method of a part, in the form in which it is called. */
  function seamAll<Part extends object>(name: string, part: Part): Part {
    const wrapped = Object.entries(part).map(([key, method]) => [key, seam(`${name}.${key}`, method)])
    return Object.fromEntries(wrapped)
  }

  const chargeNow = (
    charges: Parameters<Store["charge"]>[0],
    onDecided: Parameters<Store["charge"]>[1],
    times: readonly number[],
  ) =>
    store.charge(charges, (outcome, index) => {
      const charge = charges[index]
      if (charge) world.check(() => model.charged(charge, outcome, times, kernel.now()))
      onDecided?.(outcome, index)
    })

  const seamedStore: Store = {
    ...store,
    findKey: (hash) => (kernel.rng.chance(0.7) ? store.findKey(hash) : seam("findKey", store.findKey)(hash)),
    findKeyAnew: seam("findKeyAnew", store.findKeyAnew),
    findFirstCharge: seam("findFirstCharge", store.findFirstCharge),
    countReplay: seam("countReplay", store.countReplay),
    giveBackReplay: seam("giveBackReplay", store.giveBackReplay),
    findAccount: seam("findAccount", store.findAccount),
    async charge(charges, onDecided) {
      const times = [...readings()]
      if (kernel.rng.chance(0.4)) return chargeNow(charges, onDecided, times)
      const told: [ChargeOutcome, number][] = []
      const keep = (outcome: ChargeOutcome, index: number) => void told.push([outcome, index])
      const outcomes = await seam("charge", () => chargeNow(charges, keep, times), ChargeUnknown)()
      for (const [outcome, index] of told) onDecided?.(outcome, index)
      return outcomes
    },
    takeRates: seam("takeRates", async (takes, now) => {
      let nowMs = 0
      const outcomes = await store.takeRates(takes, () => {
        nowMs = now()
        return nowMs
      })
      for (const [index, { buckets }] of takes.entries())
        for (const { id, perMinute } of buckets)
          world.check(() => model.taken(id, perMinute, outcomes[index]?.granted === true, nowMs))
      return outcomes
    }),
  }

  /** Tells the model of leases. */
  function claimSeam<Row extends { readonly id: string }, Options extends Omit<ClaimOptions, "busyHosts">>(
    label: string,
    claim: (options: Options) => Promise<Row | null>,
  ) {
    return seam(label, async (options: Options) => {
      let row: Row | null
      try {
        // Awaited directly, so that the model is told of it in the order of commits.
        row = await claim(options)
      } finally {
        // The clock has jumped since the claim began, or while it waited for a lock. Leases are given up although it fails then.
        if (kernel.now() + instance.skewMs - options.nowMs > 3_600_000) model.giveUpLeases()
      }
      if (row) world.check(() => model.claimed(row.id, options))
      return row
    })
  }

  const seamedOutbox: Outbox = {
    ...outbox,
    claim: claimSeam("outbox.claim", outbox.claim),
    nextAttemptMs: seam("outbox.next", outbox.nextAttemptMs),
    record: seam("outbox.record", async (notice, attempt, result) => {
      await outbox.record(notice, attempt, result)
      model.recorded(notice.id, result.kind)
    }),
  }
  const seamedMails: MailOutbox = {
    ...mails,
    claim: claimSeam("mails.claim", mails.claim),
    nextAttemptMs: seam("mails.next", mails.nextAttemptMs),
    addLinkToken: seam("mails.token", mails.addLinkToken),
    record: seam("mails.record", async (id, attempt, result) => {
      await mails.record(id, attempt, result)
      model.recorded(id, result.kind)
    }),
  }
  const seamedAdmin = {
    ...seamAll("admin", admin),
    apply: seam("apply", (change: Parameters<typeof admin.apply>[0]) => {
      // The mutations are read within the transaction, so that the model is told when it is committed.
      const { mutations } = change
      return admin.apply({
        ...change,
        get mutations() {
          instance.changing = change
          return mutations
        },
      })
    }),
  }
  return { ...opened, store: seamedStore, outbox: seamedOutbox, mails: seamedMails, admin: seamedAdmin }
}
