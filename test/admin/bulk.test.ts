/** One operation for many things: each run is checked, recorded and answered as if it was sent alone, on both stores. */
import { expect, test } from "bun:test"
import { updateAccount } from "../../src/admin/accounts/change-account.ts"
import { createAccount } from "../../src/admin/accounts/create-account.ts"
import { createAdministration } from "../../src/admin/administration.ts"
import { runBulk } from "../../src/admin/bulk.ts"
import { adjustCredits } from "../../src/admin/credits/adjust-credits.ts"
import { disableKey } from "../../src/admin/keys/disable.ts"
import { createApiKey } from "../../src/admin/keys/issue-key.ts"
import { operations } from "../../src/admin/operations.ts"
import { permissions } from "../../src/admin/permission.ts"
import { choicesOf } from "../../src/apis/contract.ts"
import { StoreUnavailable } from "../../src/store/store.ts"
import {
  actorOf,
  openAdministration,
  type TestAdministration,
  type Values,
} from "../support/administration.ts"
import { useOpenStores, useStoreKinds } from "../support/any-store.ts"

const offered = choicesOf(runBulk.input.properties.operation) ?? []

async function accounts(admin: TestAdministration, count: number): Promise<string[]> {
  const ids: string[] = []
  for (let made = 0; made < count; made++)
    ids.push(String((await admin.run(createAccount, { name: `account ${made}` })).id))
  return ids
}

type Result = { id: string; problem: string | null; detail: string | null }

const bulk = async (admin: TestAdministration, values: Values, options = {}): Promise<Result[]> =>
  (await admin.run(runBulk, values, options)).data as Result[]

const bonusOf = async (admin: TestAdministration, id: string) =>
  (await admin.parts.admin.findAccount(id))?.bonus

const openStore = useOpenStores()
test.each(useStoreKinds())(
  "on $name each item is done and recorded as if it was sent alone, and a refused one stops no other",
  async ({ create }) => {
    const opened = await openStore(await create())
    const admin = openAdministration(opened)
    const [one = "", two = "", three = ""] = await accounts(admin, 3)
    const before = (await bonusOf(admin, one)) ?? 0
    const earlier = (await admin.audit()).length
    const items = [
      { id: one, credits: 5, reason: "Gift" },
      { id: "acc_none", credits: 5, reason: "Gift" },
      { id: two, credits: 0, reason: "Gift" },
      { id: three, credits: -7, reason: "Too many" },
    ]
    const results = await bulk(admin, { operation: "credits.adjust", items })
    expect(results.map(({ id, problem }) => [id, problem])).toEqual([
      [one, null],
      ["acc_none", "not-found"],
      [two, "invalid"],
      [three, null],
    ])
    for (const index of [1, 2]) {
      const alone = await admin.refusal(adjustCredits, items[index] as Values)
      expect(results[index]).toEqual({
        id: String(items[index]?.id),
        problem: alone.code,
        detail: alone.message,
        parameter: alone.parameter,
      } as Result)
    }
    expect([await bonusOf(admin, one), await bonusOf(admin, two), await bonusOf(admin, three)]).toEqual([
      before + 5,
      before,
      before - 7,
    ])
    const records = (await admin.audit()).slice(earlier)
    expect(records.map(({ operation, accountId }) => [operation, accountId])).toEqual([
      ["credits.adjust", one],
      ["credits.adjust", three],
    ])
  },
)

test("permissions: a bulk needs the permission of its operation: no other one lets any item run", async () => {
  const admin = openAdministration()
  expect(offered.length).toBeGreaterThan(5)
  const [id = ""] = await accounts(admin, 1)
  const earlier = (await admin.audit()).length
  for (const operation of offered) {
    const needed = operations.find((one) => one.id === operation)?.permission ?? "none"
    const others = Object.keys(permissions).filter((one) => one !== needed)
    const items = [{ id }]
    const as = actorOf({ permissions: others })
    const refused = await admin.refusal(runBulk, { operation, items }, { as })
    expect([refused.code, refused.message]).toEqual(["forbidden", `This needs the permission '${needed}'.`])
    const [result] = await bulk(admin, { operation, items }, { as: actorOf({ permissions: [needed] }) })
    expect([operation, result?.problem]).not.toEqual([operation, "forbidden"])
  }
  expect((await admin.audit()).slice(earlier).map(({ operation }) => operation)).not.toContain("bulk.run")
})

test("permissions: a parameter that needs a second permission needs it in a bulk too", async () => {
  const admin = openAdministration()
  const [id = ""] = await accounts(admin, 1)
  const as = actorOf({ permissions: ["accounts.write"] })
  const item = { id, email: "mine@example.com" }
  const alone = await admin.refusal(updateAccount, item, { as })
  const [result] = await bulk(admin, { operation: "accounts.update", items: [item] }, { as })
  expect([alone.code, result?.problem, result?.detail]).toEqual(["forbidden", "forbidden", alone.message])
  expect((await admin.parts.admin.findAccount(id))?.email).toBeNull()
})

test("permissions: customers cannot run one", async () => {
  const admin = openAdministration()
  const [id = ""] = await accounts(admin, 1)
  const { key, ...made } = await admin.run(createApiKey, { account: id, name: "ci" })
  const as = actorOf({ account: id, permissions: ["keys.write"] })
  const values = { operation: "keys.disable", items: [{ id: made.id }] }
  expect((await admin.refusal(runBulk, values, { as })).code).toBe("forbidden")
})

test("an Idempotency-Key lets each thing be changed once, however the items are put into parts", async () => {
  const admin = openAdministration()
  const [one = "", two = "", three = ""] = await accounts(admin, 3)
  const before = (await bonusOf(admin, one)) ?? 0
  const itemOf = (id: string) => ({ id, credits: 5, reason: "Gift" })
  const send = (ids: string[], idempotencyKey?: string) =>
    bulk(admin, { operation: "credits.adjust", items: ids.map(itemOf) }, { idempotencyKey })
  await send([one, two], "run 1")
  expect((await send([three, two, one], "run 1")).map(({ problem }) => problem)).toEqual([null, null, null])
  for (const id of [one, two, three]) expect(await bonusOf(admin, id)).toBe(before + 5)
  await send([one], "run 2")
  await send([one])
  expect(await bonusOf(admin, one)).toBe(before + 15)
})

test("an Idempotency-Key refuses other contents for the same thing, and not for others", async () => {
  const admin = openAdministration()
  const [one = "", two = ""] = await accounts(admin, 2)
  const options = { idempotencyKey: "run 1" }
  const items = [{ id: one, credits: 5, reason: "Gift" }]
  await bulk(admin, { operation: "credits.adjust", items }, options)
  const other = [one, two].map((id) => ({ id, credits: 6, reason: "Gift" }))
  const results = await bulk(admin, { operation: "credits.adjust", items: other }, options)
  expect(results.map(({ problem }) => problem)).toEqual(["idempotency-mismatch", null])
})

test("an Idempotency-Key tries again what was refused", async () => {
  const admin = openAdministration()
  const [account = ""] = await accounts(admin, 1)
  const { id } = await admin.run(createApiKey, { account, name: "ci" })
  const send = (operation: string) =>
    bulk(admin, { operation, items: [{ id }] }, { idempotencyKey: operation })
  expect(await send("keys.enable")).toMatchObject([{ problem: "conflict" }])
  await admin.run(disableKey, { id })
  expect(await send("keys.enable")).toMatchObject([{ problem: null }])
})

test("a wrong list is refused as a whole, and nothing is done", async () => {
  const admin = openAdministration()
  const [id = ""] = await accounts(admin, 1)
  const earlier = (await admin.audit()).length
  const many = (count: number) => Array.from({ length: count }, (_, index) => ({ id: `acc_${index}` }))
  for (const [operation, items, parameter, message] of [
    ["accounts.close", [], "items", "must be a list of 1 to 500 objects"],
    ["accounts.close", many(501), "items", "must be a list of 1 to 500 objects"],
    ["accounts.close", [{ id }, { name: "no id" }], "items", "each with an"],
    [
      "accounts.close",
      [{ id }, { id: "acc_1" }, { id }],
      "items",
      `must name each thing once, not '${id}' twice`,
    ],
    ["keys.rotate", [{ id }], "operation", "must be"],
    ["bulk.run", [{ id }], "operation", "must be"],
    [undefined, [{ id }], "operation", "is required"],
  ] as const) {
    const refused = await admin.refusal(runBulk, { ...(operation && { operation }), items })
    expect([refused.code, refused.parameter]).toEqual(["invalid", parameter])
    expect(refused.message).toContain(message)
  }
  expect(await bulk(admin, { operation: "accounts.close", items: many(100) })).toHaveLength(100)
  expect((await admin.audit()).length).toBe(earlier)
})

test("with an Idempotency-Key nothing is said to be done that was not, however often it is named", async () => {
  const admin = openAdministration()
  const [id = ""] = await accounts(admin, 1)
  const before = await bonusOf(admin, id)
  const items = [5, 5].map((credits) => ({ id, credits, reason: "Gift" }))
  const options = { idempotencyKey: "run 1" }
  const refused = await admin.refusal(runBulk, { operation: "credits.adjust", items }, options)
  expect([refused.code, refused.parameter]).toEqual(["invalid", "items"])
  expect(await bonusOf(admin, id)).toBe(before)
})

test("an operation that runs others has as long as they take before its connection is closed", () =>
  expect(operations.filter(({ run }) => run.kind === "bulk").map(({ isLong }) => isLong)).toEqual([true]))

test("after a store that does not answer no further item is tried, and each says so", async () => {
  const admin = openAdministration()
  const ids = await accounts(admin, 3)
  let applied = 0
  const store = {
    ...admin.parts.admin,
    apply: (...change: Parameters<typeof admin.parts.admin.apply>) =>
      ++applied === 2
        ? Promise.reject(new StoreUnavailable("The disk is full."))
        : admin.parts.admin.apply(...change),
  }
  const { run } = createAdministration({ ...admin.parts, admin: store })
  const values = { operation: "accounts.close", items: ids.map((id) => ({ id })) }
  const { output } = await run(runBulk, { kind: "typed", values }, actorOf())
  const { data } = output as { data: Result[] }
  expect(data.map(({ problem }) => problem)).toEqual([null, "unavailable", "unavailable"])
  expect(applied).toBe(2)
})

test("other work runs between two items, and an error of the service is not hidden in a result", async () => {
  const admin = openAdministration()
  const ids = await accounts(admin, 3)
  let turns = 0
  const giveWay = () => {
    turns++
    return undefined
  }
  const values = { operation: "accounts.close", items: ids.map((id) => ({ id })) }
  await admin.administration.run(runBulk, { kind: "typed", values }, actorOf(), { giveWay })
  expect(turns).toBe(3)
  const bug = new TypeError("a bug")
  const store = { ...admin.parts.admin, findAccount: () => Promise.reject(bug) }
  const { run } = createAdministration({ ...admin.parts, admin: store })
  await expect(run(runBulk, { kind: "typed", values }, actorOf())).rejects.toBe(bug)
})
