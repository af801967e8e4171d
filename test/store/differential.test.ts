/** The same random work gives the same results in every kind of store. */
import { afterAll, expect, test } from "bun:test"
import fc from "fast-check"
import type { Mutation } from "../../src/store/admin-store.ts"
import type { ChargeOutcome } from "../../src/store/store.ts"
import { auditOf, changeOf, firstPage, grantOf, replayOf, secretOf } from "../support/admin-store.ts"
import { type AnyTestStore, openAnyStore, useStoreKinds } from "../support/any-store.ts"
import { accountOf, keyOf } from "../support/store.ts"

const ids = ["one", "two", "closed"]
/** Outcomes of the charges of a batch, in turn. */
const keys = [{ keyId: "key 1" }, {}, { keyId: "key 2" }] as const
const item = fc.record({
  api: fc.constantFrom("hmac", "spfvalidator", "__proto__"),
  calls: fc.integer({ min: 1, max: 3 }),
  credits: fc.integer({ min: 0, max: 9 }),
})
const charge = fc.record({
  accountId: fc.constantFrom(...ids, "unknown"),
  items: fc.array(item, { minLength: 1, maxLength: 2 }),
  allowance: fc.constantFrom(20, 20, 20, 60, null),
  periodStartMs: fc.constantFrom(0, 1_000, 1_000, 1_000, 2_000, 3_000),
  day: fc.constantFrom("2025-01-01", "2025-01-01", "2025-01-02"),
})
const accountId = fc.constantFrom(...ids, "unknown")

/** Names are those of a run: others have the same accounts. */
type IdOf = (name: string) => string
type Step = (opened: AnyTestStore, idOf: IdOf) => Promise<unknown>
type ToMutation = (idOf: IdOf) => Mutation

const ofAccount = { name: accountId, version: fc.constantFrom(1, 1, 2, 2, 3) }
const mutation: fc.Arbitrary<ToMutation> = fc.oneof(
  fc.record({ ...ofAccount, to: fc.constantFrom("Ann", "Bob"), taken: fc.constantFrom(null, "x", "y") }).map(
    ({ name, version, to, taken }): ToMutation =>
      (idOf) => {
        const set = { name: to, externalId: taken && idOf(taken), closedMs: to === "Bob" ? 5 : null }
        return { kind: "account.update", id: idOf(name), version, set }
      },
  ),
  fc.record({ ...ofAccount, disabledMs: fc.constantFrom(null, 7) }).map(
    ({ name, version, disabledMs }): ToMutation =>
      (idOf) => {
        const set = { disabledMs, allowApis: ["hmac"] }
        return { kind: "key.update", id: idOf(`key ${name}`), version, set }
      },
  ),
  fc.record({ ...ofAccount, hash: fc.uuid() }).map(
    ({ name, version, hash }): ToMutation =>
      (idOf) => {
        const secret = secretOf(idOf(hash))
        return { kind: "key.rotate", id: idOf(`key ${name}`), version, secret, othersUntilMs: 9 }
      },
  ),
  fc.tuple(accountId, fc.constantFrom(3, 9)).map(
    ([name, credits]): ToMutation =>
      (idOf) =>
        grantOf(idOf(name), credits, 30),
  ),
  accountId.map(
    (name): ToMutation =>
      (idOf) => {
        const raised = { type: "key.created", data: "{}", nowMs: 5 }
        return { kind: "notice.insert", id: idOf(`msg ${name}`), accountId: idOf(name), ...raised }
      },
  ),
)
/** A change of the administration, with an audit record of its own. */
const change: fc.Arbitrary<Step> = fc
  .record({
    mutations: fc.array(mutation, { minLength: 1, maxLength: 3 }),
    replay: fc.constantFrom(null, null, "again"),
    audit: fc.uuid(),
  })
  .map(
    ({ mutations, replay, audit }): Step =>
      ({ admin }, idOf) => {
        const made = mutations.map((toMutation) => toMutation(idOf))
        const more = {
          audit: auditOf({ id: idOf(audit), accountId: idOf("one") }),
          replay: replay && replayOf({ actor: idOf(""), key: replay }),
        }
        return admin.apply(changeOf(made, more))
      },
  )

/** Whether each was charged. Balances may be told after each charge or after all of them. */
const charged = (outcomes: readonly ChargeOutcome[]) => outcomes.map((outcome) => outcome.charged)

const onAccount = (run: (name: string, ...given: Parameters<Step>) => Promise<unknown>) =>
  accountId.map(
    (name): Step =>
      (...given) =>
        run(name, ...given),
  )

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.array(charge, { minLength: 1, maxLength: 12 }).map(
      (charges): Step =>
        async ({ store }, idOf) =>
          charged(
            await store.charge(
              charges.map((one, index) => ({ ...one, ...keys[index % 3], accountId: idOf(one.accountId) })),
            ),
          ),
    ),
  },
  { weight: 12, arbitrary: change },
  onAccount((name, { store }, idOf) => store.grant(idOf(name), 7, 40)),
  onAccount((name, { store }, idOf) => store.updateAccount(idOf(name), { plan: "pro" })),
  onAccount((name, { store }, idOf) => store.updateAccount(idOf(name), { closedMs: 5_000 })),
  fc.tuple(accountId, fc.constantFrom(1_000, 2_000, 4_000)).map(
    ([name, periodStartMs]): Step =>
      ({ store }, idOf) =>
        store.renewMonth(idOf(name), { createdMs: periodStartMs, periodStartMs }),
  ),
  onAccount((name, { store }, idOf) => store.revokeKey(idOf(`key ${name}`), 9_000)),
  // Usage of January becomes that of the month, in steps of so many rows. Later charges still have its days.
  fc.integer({ min: 1, max: 3 }).map(
    (limit): Step =>
      async ({ retention }, idOf) => {
        const last = ids.map(idOf).sort().at(-1) ?? ""
        await retention.setMonthsUntil("2025-02-01")
        for (let place: string | null = idOf(""); place !== null && place < last; )
          place = (await retention.foldUsage("2025-02-01", place, limit)).next
      },
  ),
  fc.tuple(accountId, fc.boolean()).map(
    ([name, isSet]): Step =>
      ({ outbox }, idOf) =>
        outbox.setWebhook(
          idOf(name),
          isSet ? { url: "https://example.com/", secret: "whsec_AAAA", allowPrivate: false } : null,
        ),
  ),
)

async function makeAccounts({ store }: AnyTestStore, idOf: IdOf): Promise<void> {
  for (const name of ids) {
    const closedMs = name === "closed" ? 1 : null
    await store.createAccount(accountOf({ id: idOf(name), closedMs, bonus: 15 }))
    const key = keyOf({ id: idOf(`key ${name}`), accountId: idOf(name) })
    await store.createKey(key, { hash: idOf(`hash ${name}`), prefix: "p", createdMs: 1 })
  }
}

/** All days that the operations below charge. Usage is read in steps of 92 days, so a longer period takes longer. */
const days = { fromDay: "2024-12-15", toDay: "2025-02-15" }
const page = { limit: 1_000, after: null }

/**
 * Everything that can be read about the accounts, without the times at which notices were raised. A notice may name what was used
 * after its charge or after all that were committed with it.
 */
async function read({ store, outbox, admin }: AnyTestStore, idOf: IdOf) {
  const ofAccounts = ids.map(async (name) => {
    const id = idOf(name)
    const months = [0, 1_000, 2_000, 3_000, 4_000].map((startMs) => store.monthUsage(id, startMs))
    const notices = (await outbox.list(id)).map(
      ({ raisedMs: _, nextAttemptMs: __, used: ___, ...notice }) => notice,
    )
    const access = await store.findKeyAnew(idOf(`hash ${name}`), id)
    return {
      account: await admin.findAccount(id),
      usage: await store.usage(id, days),
      byKey: await admin.usage({ ...days, accountIds: [id], by: ["account", "key", "day", "api"] }, page),
      months: await Promise.all(months),
      notices: notices.sort((a, b) => (a.id < b.id ? -1 : 1)),
      access: access && { ...access, revision: 0 },
      keys: await admin.keys({ accountId: id }, firstPage),
    }
  })
  return {
    accounts: await Promise.all(ofAccounts),
    audit: await admin.audit({ accountId: idOf("one") }, firstPage),
    replay: await admin.findReplay(idOf(""), "again"),
  }
}

const kinds = useStoreKinds()
const opened: AnyTestStore[] = []
afterAll(async () => {
  for (const one of opened) await one.store.close()
})

test("the same work gives the same outcomes, balances, usage and notices", async () => {
  for (const kind of kinds) opened.push(await openAnyStore(await kind.create()))
  let run = 0
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 12 }), async (steps) => {
      const prefix = `run ${++run} `
      const idOf = (name: string) => prefix + name
      const results = await Promise.all(
        opened.map(async (one) => {
          await makeAccounts(one, idOf)
          const outcomes: unknown[] = []
          for (const each of steps) outcomes.push(await each(one, idOf))
          return { outcomes, read: await read(one, idOf) }
        }),
      )
      expect(results.length).toBe(2)
      expect(results[1]).toEqual(results[0])
    }),
    { numRuns: Number(process.env.STORE_RUNS ?? 90) },
  )
})
