/** Data files of the simulation: made once, copied for each run, and opened so that commits and statements fail by chance. */
import { Database, type Statement } from "bun:sqlite"
import { copyFileSync, rmSync } from "node:fs"
import { hashKey } from "../../src/accounts/key.ts"
import { openDatabase } from "../../src/store/sqlite/database-file.ts"
import { createSqliteStores } from "../../src/store/sqlite/open-sqlite.ts"
import { secretOf } from "../support/admin-store.ts"
import { changesOf, type TestChanges } from "../support/changes.ts"
import { accountOf, keyOf } from "../support/store.ts"
import type { Kernel, Owner } from "./kernel.ts"

/** The start of each run: half an hour before a calendar month ends, in an account's month that ends on the 28th. */
export const startMs = Date.parse("2025-01-31T23:30:00.250Z")
export const accountsCreatedMs = startMs - 3_600_000

/** The accounts of each run, with their bonus credits and the plans of {@link plans}. */
export const firstAccounts = [
  { id: "acc_0", plan: "small", bonus: 0, keyId: "key_0", keyHash: hashKey("pk-first") },
  { id: "acc_1", plan: "middle", bonus: 13, keyId: "key_1", keyHash: hashKey("pk-second") },
  { id: "acc_2", plan: "limited", bonus: 0, keyId: "key_2", keyHash: hashKey("pk-third") },
] as const

const commitFailsChance = 0.02
const statementFailsChance = 0.004

/** Makes a data file with the accounts, for runs to copy. */
export async function makeTemplate(file: string): Promise<void> {
  await loadAll()
  removeFile(file)
  const database = openDatabase(file)
  const timer = { after: () => () => {}, turn: () => Promise.resolve() }
  await insertFirstAccounts(changesOf(createSqliteStores(database, { timer }).admin), async (id) => {
    const set = "webhook_url = ?1, webhook_secret = ?2, notify = 'both', email = ?3"
    database.run(`UPDATE accounts SET ${set} WHERE id = ?4`, [...webhookOf(id), id])
  })
  database.run("PRAGMA wal_checkpoint(TRUNCATE)")
  database.run("PRAGMA journal_mode = DELETE")
  database.close()
}

/** Inserts the accounts of each run with their keys. `addWebhook` gives one its webhook and its address. */
export async function insertFirstAccounts(changes: TestChanges, addWebhook: (id: string) => Promise<void>) {
  const createdMs = accountsCreatedMs
  for (const { id, plan, bonus, keyId, keyHash } of firstAccounts) {
    await changes.createAccount(accountOf({ id, name: id, plan, createdMs, periodStartMs: createdMs, bonus }))
    await changes.createKey(keyOf({ id: keyId, accountId: id, createdMs }), secretOf(keyHash, createdMs))
    await addWebhook(id)
  }
}

/** The webhook of an account, its secret, and the account's e-mail address. */
export function webhookOf(id: string): [url: string, secret: string, email: string] {
  const url = `https://${id.replace("_", "-")}.example/hook`
  return [url, "whsec_MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE=", `${id}@example.com`]
}

/** Modules that the service loads when it first needs them. Only those that are loaded need no event loop then. */
async function loadAll(): Promise<void> {
  await import("../../src/accounts/email.ts").then(({ requireEmail }) => requireEmail("a@example.com"))
  await import("../../src/admin/sign-up/confirm.ts")
  await import("disposable-email-domains-js")
  await import("nodemailer/lib/mail-composer")
}

export function copyTemplate(template: string, file: string): void {
  removeFile(file)
  copyFileSync(template, file)
}

export function removeFile(file: string): void {
  for (const end of ["", "-wal", "-shm"]) rmSync(file + end, { force: true })
}

/** A connection whose lock never makes the process wait. */
export function connect(file: string): Database {
  const database = new Database(file, { readwrite: true, strict: true })
  database.run("PRAGMA busy_timeout = 0")
  database.run("PRAGMA journal_mode = WAL")
  database.run("PRAGMA synchronous = OFF")
  database.run("PRAGMA foreign_keys = ON")
  return database
}

interface FaultyOptions {
  readonly kernel: Kernel
  readonly owner: Owner
  /** Called when a transaction begins. */
  readonly onBegin: () => void
  /** Called at once when it was committed. */
  readonly onCommitted: () => void
}

/**
 * Opens a data file for an instance. Any commit may fail after all its statements, and any statement before it does something.
 */
export function connectFaulty(file: string, { kernel, owner, onBegin, onCommitted }: FaultyOptions) {
  const database = connect(file)
  const fails = (chance: number, name: string) => {
    if (!kernel.fault(chance)) return
    kernel.note(`${owner.name} ${name} fails`)
    throw fullError()
  }
  const { transaction, query } = database
  // The runtime keeps few statements, and preparing them would be a quarter of a run.
  const statements = new Map<string, object>()
  // Both are functions of one database, whose types have many overloads.
  Object.assign(database, {
    transaction(work: (...of: unknown[]) => unknown) {
      const made = transaction.call(database, (...of: unknown[]) => {
        onBegin()
        const done = work(...of)
        fails(commitFailsChance, "commit")
        return done
      })
      const telling =
        (run: (...of: unknown[]) => unknown) =>
        (...of: unknown[]) => {
          const done = run(...of)
          if (!database.inTransaction) onCommitted()
          return done
        }
      const { deferred, immediate, exclusive } = made
      return Object.assign(telling(made), {
        ...{ deferred: telling(deferred), immediate: telling(immediate), exclusive: telling(exclusive) },
      })
    },
    query(text: string) {
      const known = statements.get(text)
      if (known) return known
      let prepared: Statement | null = null
      const method = (name: (typeof methods)[number]) =>
        function call(...of: never[]) {
          if (isChange.test(text)) fails(statementFailsChance, "statement")
          prepared ??= query.call(database, text)
          return prepared[name](...of)
        }
      const statement = Object.fromEntries(methods.map((name) => [name, method(name)]))
      statements.set(text, statement)
      return statement
    },
  })
  return database
}

const methods = ["run", "get", "all"] as const
const isChange = /^\s*(?:INSERT|UPDATE|DELETE)\b/

let full: { readonly database: Database; readonly cause: unknown } | null = null

/** The error of a full disk. Only SQLite can make one. */
function fullError(): unknown {
  full ??= makeFull()
  return full.cause
}

function makeFull() {
  const database = new Database(":memory:")
  database.run("CREATE TABLE rows (value)")
  database.run("PRAGMA max_page_count = 2")
  try {
    database.run("INSERT INTO rows VALUES (zeroblob(100000))")
  } catch (cause) {
    return { database, cause }
  }
  throw new Error("a database of two pages must be full")
}
