import { Kind, type Static, Type } from "@sinclair/typebox"
import { readEmail } from "../../accounts/email.ts"
import { createId } from "../../accounts/key.ts"
import { compileInput, type ReadInput } from "../../call/input.ts"
import type { AccountDetails } from "../../store/admin-store.ts"
import { isObject } from "../../values/is-object.ts"
import { toAdminFault } from "../administration.ts"
import { AdminFault, type Mistake, requireKnownNames } from "../fault.ts"
import { optionalFlag } from "../fields.ts"
import { type AdminContext, defineChange } from "../operation.ts"
import type { AdminParts } from "../parts.ts"
import { checksOf, type NewAccountInput, newAccount, toCreated, toNewAccount } from "./new-account.ts"

/**
 * Calls wait while SQLite inserts the accounts: 100 take 13 ms with their audit records, and the changed pages of more do not fit
 * its cache.
 */
const maxAccounts = 100

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
  path: "/accounts/import",
  command: {
    words: "account import",
    csvList: { parameter: "accounts", entry: newAccount },
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
        maxItems: maxAccounts,
        description: `The accounts, each with the parameters of a new one: at most ${maxAccounts}.`,
        "x-requirement": `must be a list of 1 to ${maxAccounts} accounts`,
      },
    ),
    dry_run: optionalFlag("Whether only to check the accounts and say how many would be created.", {
      default: false,
    }),
  }),
  output: imported,
  example: { accounts: [{ name: "Ann", plan: "pro" }, { name: "Bob" }] },
  async prepare({ accounts: given, dry_run: isDryRun = false }, context) {
    const accounts = await readAccounts(given, context)
    const id = createId("imp", context.random)
    const byPlan = Map.groupBy(accounts, ({ plan }) => plan)
    const plans = Object.fromEntries([...byPlan].map(([plan, { length }]) => [plan, length]))
    const counted = { accounts: accounts.length, plans }
    const ids = accounts.map((account) => account.id)
    return {
      isTrial: isDryRun,
      mutations: accounts.map((account) => ({ kind: "account.insert", account })),
      parts: accounts.map((account) => {
        const created = toCreated(account, context)
        return { ...created, after: { ...created.after, import: id } }
      }),
      target: { kind: "import", id, accountId: null },
      after: { ...counted, ids },
      answer: () => ({ dry_run: isDryRun, ...counted, ids: isDryRun ? [] : ids }),
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
    const email = input.email === undefined ? null : await readEmail(input.email.trim())
    for (const [parameter, text] of [
      ["email", email],
      ["external_id", input.external_id],
    ] as const)
      if (typeof text === "string") unique.push({ index, parameter, text })
    // After a mistake nothing more is created; the rest is only checked.
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

/** Reads each parameter by itself, so that a mistake in one does not hide a mistake in another. */
const readers: readonly (readonly [name: string, read: ReadInput])[] = Object.entries(
  newAccount.properties,
).map(([name, schema]) => [name, compileInput(Type.Object({ [name]: schema }))])

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
  for (const [name, read] of readers) {
    const values = Object.hasOwn(entry, name) ? { [name]: entry[name] } : {}
    await attempt(() => Object.assign(input, read({ kind: "typed", values })))
  }
  for (const check of checksOf(input, context)) await attempt(check)
  return { input, faults }
}

function isWhole(input: Partial<NewAccountInput>): input is NewAccountInput {
  return input.name !== undefined
}

/** An email address or an external id of an entry. No two accounts may have the same. */
interface UniqueText {
  readonly index: number
  readonly parameter: "email" | "external_id"
  readonly text: string
}

/** The mistakes of entries whose unique text an account of the store has, or an earlier entry. */
async function takenTexts(unique: readonly UniqueText[], { admin }: AdminParts): Promise<readonly Mistake[]> {
  const textsOf = (wanted: UniqueText["parameter"]) =>
    unique.filter(({ parameter }) => parameter === wanted).map(({ text }) => text)
  const { emails, externalIds } = await admin.findTaken({
    emails: textsOf("email"),
    externalIds: textsOf("external_id"),
  })
  const stored = { email: new Set(emails), external_id: new Set(externalIds) }
  return unique.flatMap(({ index, parameter, text }): readonly Mistake[] => {
    const first = unique.find((other) => other.parameter === parameter && other.text === text)
    const isStored = stored[parameter].has(text)
    if (!isStored && first?.index === index) return []
    const why = isStored ? "this one is taken" : `entry ${first?.index} has this one`
    return [{ index, parameter, detail: `Choose another '${parameter}': ${why}.` }]
  })
}

/** Reads what an import created from its audit record. */
async function readImport(id: string, { admin }: AdminParts): Promise<Static<typeof imported>> {
  const [record] = await admin.audit({ targetIds: [id] }, { limit: 1, after: null })
  if (!record?.after) throw new AdminFault("not-found", `There is no import '${id}'.`)
  return { dry_run: false, ...JSON.parse(record.after) }
}
