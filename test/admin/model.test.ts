/** Random sequences of operations do to a store what they do to a plain model, and leave one audit record for each change. */
import { expect, test } from "bun:test"
import { closeAccount, reopenAccount, updateAccount } from "../../src/admin/accounts/change-account.ts"
import { createAccount } from "../../src/admin/accounts/create-account.ts"
import { listAccounts } from "../../src/admin/accounts/list-accounts.ts"
import { grantCredits } from "../../src/admin/credits/change-credits.ts"
import { AdminFault } from "../../src/admin/fault.ts"
import { revokeKey, updateKey } from "../../src/admin/keys/change-key.ts"
import { disableKey, enableKey } from "../../src/admin/keys/disable.ts"
import { findKey } from "../../src/admin/keys/find.ts"
import { createApiKey, rotateKey } from "../../src/admin/keys/issue-key.ts"
import { listKeys } from "../../src/admin/keys/list-keys.ts"
import type { Operation } from "../../src/admin/operation.ts"
import { openAdministration, type TestAdministration, type Values } from "../support/administration.ts"
import { openAnyStore, useStoreKinds } from "../support/any-store.ts"
import { randomNumbers } from "../support/random-numbers.ts"

interface ModelAccount {
  id: string
  name: string
  plan: string
  bonus: number
  isClosed: boolean
}

interface ModelKey {
  id: string
  account: ModelAccount
  name: string
  rateLimit: number | null
  isDisabled: boolean
  isRevoked: boolean
  /** All its texts, the current one last. */
  texts: string[]
}

const steps = 300
const kinds = useStoreKinds()
const cases = kinds.flatMap((kind) => [1, 2, 3].map((seed) => [kind.name, seed, kind] as const))

test.each(cases)("a random sequence of operations on %s, seed %d", async (_, seed, kind) => {
  const opened = await openAnyStore(await kind.create())
  try {
    await runSequence(openAdministration(opened), seed)
  } finally {
    await opened.store.close()
  }
})

async function runSequence(admin: TestAdministration, seed: number): Promise<void> {
  const accounts: ModelAccount[] = []
  const keys: ModelKey[] = []
  let changes = 0
  const next = randomNumbers(seed)
  const below = (limit: number) => Math.floor(next() * limit)

  /** Runs an operation. Returns its answer when the model expects success, null when it expects the refusal that came. */
  async function step(operation: Operation, values: Values, isAllowed: boolean): Promise<Values | null> {
    try {
      const output = await admin.run(operation, values)
      expect([operation.id, isAllowed]).toEqual([operation.id, true])
      changes++
      return output
    } catch (thrown) {
      if (!(thrown instanceof AdminFault)) throw thrown
      expect([operation.id, thrown.code, isAllowed]).toEqual([operation.id, "conflict", false])
      return null
    }
  }

  async function onAccount(account: ModelAccount): Promise<void> {
    const { id, isClosed } = account
    const name = `account ${below(1_000)}`
    switch (below(5)) {
      case 0:
        if (await step(updateAccount, { id, name, plan: "pro" }, !isClosed))
          Object.assign(account, { name, plan: "pro" })
        return
      case 1:
        if (await step(closeAccount, { id }, !isClosed)) account.isClosed = true
        return
      case 2:
        if (await step(reopenAccount, { id }, isClosed)) account.isClosed = false
        return
      case 3:
        if (await step(grantCredits, { id, credits: 7 }, !isClosed)) account.bonus += 7
        return
      default: {
        const made = await step(createApiKey, { account: id, name }, !isClosed)
        if (!made) return
        const state = { rateLimit: null, isDisabled: false, isRevoked: false }
        keys.push({ id: String(made.id), account, name, ...state, texts: [String(made.key)] })
      }
    }
  }

  async function onKey(key: ModelKey): Promise<void> {
    const { id, isRevoked, isDisabled } = key
    const rateLimit = below(2) === 0 ? null : 1 + below(100)
    switch (below(5)) {
      case 0:
        if (await step(updateKey, { id, rate_limit: rateLimit }, !isRevoked)) key.rateLimit = rateLimit
        return
      case 1:
        if (await step(disableKey, { id }, !isRevoked && !isDisabled)) key.isDisabled = true
        return
      case 2:
        if (await step(enableKey, { id }, !isRevoked && isDisabled)) key.isDisabled = false
        return
      case 3: {
        const rotated = await step(rotateKey, { id, grace: "0" }, !isRevoked)
        if (rotated) key.texts.push(String(rotated.key))
        return
      }
      default: {
        const target = below(2) === 0 ? { id } : { key: key.texts[below(key.texts.length)] }
        // Seldom, since nothing can be done with a revoked key.
        if (below(3) === 0 && (await step(revokeKey, target, !isRevoked))) key.isRevoked = true
      }
    }
  }

  for (let number = 0; number < steps; number++) {
    admin.clock.advance(below(3) * 1_000)
    const account = accounts[below(accounts.length)]
    const key = keys[below(keys.length)]
    if (!account || accounts.length < 3) {
      const name = `account ${number}`
      const made = await step(createAccount, { name, plan: "free" }, true)
      accounts.push({ id: String(made?.id), name, plan: "free", bonus: 500, isClosed: false })
    } else if (key && below(2) === 0) await onKey(key)
    else await onAccount(account)
  }

  const storedAccounts = ((await admin.run(listAccounts, { limit: 1_000 })).data as Values[]).map(
    ({ id, name, plan, bonus, closed }) => ({ id, name, plan, bonus, isClosed: closed !== null }),
  )
  expect(byId(storedAccounts)).toEqual(byId(accounts))
  const storedKeys = ((await admin.run(listKeys, { limit: 1_000 })).data as Values[]).map(
    ({ id, account, name, rate_limit, disabled, revoked }) => ({
      ...{ id, account, name, rateLimit: rate_limit },
      ...{ isDisabled: disabled !== null, isRevoked: revoked !== null },
    }),
  )
  expect(byId(storedKeys)).toEqual(
    byId(keys.map(({ texts: _, account, ...key }) => ({ ...key, account: account.id }))),
  )
  for (const key of keys) {
    for (const [index, text] of key.texts.entries()) {
      const { id, state } = await admin.run(findKey, { key: text })
      expect({ id, state }).toEqual({ id: key.id, state: stateOf(key, index === key.texts.length - 1) })
    }
  }
  expect(await admin.audit()).toHaveLength(changes)
  const stored = await admin.stored()
  for (const text of keys.flatMap(({ texts }) => texts)) expect(stored).not.toContain(text)
}

function stateOf({ account, isRevoked, isDisabled }: ModelKey, isCurrent: boolean): string {
  if (isRevoked) return "revoked"
  if (account.isClosed) return "account-closed"
  if (!isCurrent) return "rotated"
  return isDisabled ? "disabled" : "works"
}

function byId<T extends { readonly id?: unknown }>(rows: readonly T[]): readonly T[] {
  return [...rows].sort((a, b) => (String(a.id) < String(b.id) ? -1 : 1))
}
