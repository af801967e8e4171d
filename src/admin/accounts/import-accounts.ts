import { Kind, type Static, Type } from "@sinclair/typebox"
import { readEmail } from "../../accounts/email.ts"
import { createId } from "../../accounts/key.ts"
import { compileInput, type ReadInput } from "../../call/input.ts"
import type { AccountDetails, AuditRecord, TakenTexts } from "../../store/admin-store.ts"
import { isObject } from "../../values/is-object.ts"
import { toAdminFault } from "../administration.ts"
import { AdminFault, type Mistake } from "../fault.ts"
import { requireKnownNames } from "../known-names.ts"
import { type AdminContext, defineChange } from "../operation.ts"
import type { AdminParts } from "../parts.ts"
import { checksOf, type NewAccountInput, newAccount, toCreated, toNewAccount } from "./new-account.ts"

/**
 * Calls wait while SQLite inserts the accounts: 100 take 13 ms with their audit records, and the changed pages of more do not fit
 * its cache.
 */
const maxCreated = 100
/** A dry run only reads. */
const maxChecked = 1_000

const imported = Type.Object({
  dry_run: Type.Boolean({ description: "Whether nothing was created." }),
  accounts: Type.Integer({ description: "How many accounts were created, or would be." }),
  plans: Type.Record(Type.String(), Type.Integer(), { description: "The same by plan." }),
  ids: Type.Array(Type.String(), {
    description: "The ids of the accounts, in the order of the list. Empty after a dry run.",
  }),
})

export const importAccounts = defineChange({
  id: "accounts.import",
  title: "Import accounts",
  description:
    "Creates all accounts of a list, or none of them if there is a mistake. The refusal names every mistake. Each account has an " +
    "audit record, and the import as a whole has one.",
  permission: "accounts.write",
  method: "POST",
  path: "/accounts/import",
  command: {
    words: "account import",
    csvList: "accounts",
    description:
      "Create the accounts of a CSV file, or none of them if a line is wrong. Its first line names the columns: " +
      `${Object.keys(newAccount.properties).join(", ")}. Only 'name' is needed.`,
    example: "accounts.csv --dry-run",
  },
  input: Type.Object({
    // Each account is checked by `prepare`, which names every mistake and not only the first.
    accounts: Type.Array(
      Type.Unsafe<unknown>({ ...newAccount, [Kind]: "Unknown", additionalProperties: false }),
      {
        minItems: 1,
        maxItems: maxChecked,
        description: `The accounts, each with the parameters of a new one: at most ${maxCreated}, or ${maxChecked} in a dry run.`,
        "x-requirement": `must be a list of 1 to ${maxCreated} accounts, or ${maxChecked} in a dry run`,
      },
    ),
    dry_run: Type.Optional(
      Type.Boolean({
        default: false,
        description: "Whether only to check the accounts, and to say how many would be created.",
      }),
    ),
  }),
  output: imported,
  example: { accounts: [{ name: "Ann", plan: "pro" }, { name: "Bob" }] },
  async prepare({ accounts: given, dry_run: isDryRun = false }, context) {
    if (!isDryRun && given.length > maxCreated) {
      throw new AdminFault(
        "invalid",
        `The 'accounts' parameter must be a list of at most ${maxCreated} accounts; only a dry run takes ${maxChecked}.`,
        { parameter: "accounts" },
      )
    }
    const accounts = await readAccounts(given, context)
    const id = createId("imp", context.random)
    const counted = { accounts: accounts.length, plans: countPlans(accounts) }
    return {
      isTrial: isDryRun,
      mutations: accounts.map((account) => ({ kind: "account.insert", account })),
      parts: accounts.map((account) => {
        const created = toCreated(account, context)
        return { ...created, after: { ...created.after, import: id } }
      }),
      target: { kind: "import", id, accountId: null },
      before: null,
      after: counted,
      answer: () => ({ dry_run: isDryRun, ...counted, ids: isDryRun ? [] : accounts.map(({ id }) => id) }),
    }
  },
  recall: readImport,
})

/**
 * Reads the accounts of a list.
 * @throws AdminFault with every mistake
 */
async function readAccounts(given: readonly unknown[], context: AdminContext) {
  const read: AccountDetails[] = []
  const mistakes: Mistake[] = []
  /** The texts that no two accounts may have, also of accounts with other mistakes. */
  const unique: UniqueText[] = []
  for (const [index, entry] of given.entries()) {
    const { input, faults } = await readEntry(entry, context)
    for (const { parameter, message } of faults) mistakes.push({ index, parameter, detail: message })
    unique.push(...(await uniqueTexts(index, input)))
    // What follows is not created if there is a mistake, but its other mistakes are looked for.
    if (isWhole(input) && faults.length === 0) read.push(await toNewAccount(input, context))
  }
  const taken = await takenTexts(unique, context)
  if (mistakes.length + taken.length === 0) return read
  const all = [...mistakes, ...taken].toSorted((a, b) => a.index - b.index)
  throw new AdminFault(mistakes.length > 0 ? "invalid" : "conflict", toSentence(all), {
    parameter: "accounts",
    mistakes: all,
  })
}

function toSentence(mistakes: readonly Mistake[]): string {
  const [first] = mistakes
  const count = mistakes.length === 1 ? "is 1 mistake" : `are ${mistakes.length} mistakes`
  return `No account was created: there ${count} in the list. Entry ${first?.index} (counted from 0): ${first?.detail}`
}

/** Reads each parameter by itself, so that the mistake of one does not hide that of another. */
const readers: readonly ReadInput[] = Object.entries(newAccount.properties).map(([name, schema]) =>
  compileInput(Type.Object({ [name]: schema })),
)

/** The parameters of an account that fit their schemas, and its mistakes. */
async function readEntry(entry: unknown, context: AdminParts) {
  const input: Partial<NewAccountInput> = {}
  const faults: AdminFault[] = []
  const attempt = async (check: () => unknown) => {
    try {
      await check()
    } catch (thrown) {
      const fault = toAdminFault(thrown)
      if (!(fault instanceof AdminFault)) throw fault
      faults.push(fault)
    }
  }
  if (!isObject(entry)) {
    faults.push(new AdminFault("invalid", "An account must be an object with a name."))
    return { input, faults }
  }
  await attempt(() => requireKnownNames(Object.keys(newAccount.properties), Object.keys(entry)))
  for (const read of readers) {
    await attempt(() => Object.assign(input, read({ kind: "typed", values: entry })))
  }
  for (const check of checksOf(input, context)) await attempt(check)
  return { input, faults }
}

function isWhole(input: Partial<NewAccountInput>): input is NewAccountInput {
  return input.name !== undefined
}

interface UniqueText {
  readonly index: number
  readonly parameter: "email" | "external_id"
  readonly text: string
}

async function uniqueTexts(
  index: number,
  { email, external_id }: Partial<NewAccountInput>,
): Promise<readonly UniqueText[]> {
  const address = email === undefined ? null : await readEmail(email.trim())
  return [
    ...(address === null ? [] : [{ index, parameter: "email", text: address } as const]),
    ...(external_id === undefined ? [] : [{ index, parameter: "external_id", text: external_id } as const]),
  ]
}

/** The mistakes of those that an account of the store has, or an earlier one of the list. */
async function takenTexts(unique: readonly UniqueText[], { admin }: AdminParts): Promise<readonly Mistake[]> {
  const textsOf = (wanted: UniqueText["parameter"]) =>
    unique.filter(({ parameter }) => parameter === wanted).map(({ text }) => text)
  const found: TakenTexts = await admin.findTaken({
    emails: textsOf("email"),
    externalIds: textsOf("external_id"),
  })
  const stored = { email: new Set(found.emails), external_id: new Set(found.externalIds) }
  const seen = { email: new Map<string, number>(), external_id: new Map<string, number>() }
  return unique.flatMap(({ index, parameter, text }): readonly Mistake[] => {
    const earlier = seen[parameter].get(text)
    if (earlier === undefined) seen[parameter].set(text, index)
    const why = stored[parameter].has(text)
      ? "this one is taken"
      : earlier === undefined
        ? null
        : `entry ${earlier} has this one`
    return why === null ? [] : [{ index, parameter, detail: `Choose another '${parameter}': ${why}.` }]
  })
}

function countPlans(accounts: readonly AccountDetails[]): Record<string, number> {
  const counts = new Map<string, number>()
  for (const { plan } of accounts) counts.set(plan, (counts.get(plan) ?? 0) + 1)
  return Object.fromEntries(counts)
}

/** The audit records of accounts that are read at once. */
const pageSize = 500

/** Reads what an import created from the audit log. */
async function readImport(id: string, { admin }: AdminParts): Promise<Static<typeof imported>> {
  const [whole] = await admin.audit({ targetIds: [id] }, { limit: 1, after: null })
  if (!whole) throw new AdminFault("not-found", `There is no import '${id}'.`)
  const { actor, operation, atMs } = whole
  const filter = { actor, operation, fromMs: atMs, toMs: atMs + 1 }
  const records: AuditRecord[] = []
  for (let last: AuditRecord | undefined = whole; last !== undefined; ) {
    const page = await admin.audit(filter, { limit: pageSize, after: [last.atMs, last.id] })
    records.push(...page)
    last = page.at(pageSize - 1)
  }
  const ofImport = records.filter(({ after }) => after !== null && JSON.parse(after).import === id)
  const { accounts, plans } = JSON.parse(whole.after ?? "{}")
  return { dry_run: false, accounts, plans, ids: ofImport.map(({ targetId }) => targetId).toReversed() }
}
