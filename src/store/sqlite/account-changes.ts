import type { Database } from "bun:sqlite"
import type { AdjustMutation } from "../adjustments.ts"
import type { AccountDetails, AdminOutcome, Mutation } from "../admin-store.ts"
import { signUpReason } from "../rows.ts"
import type { Ledger } from "./ledger.ts"
import { dropUnwantedMails } from "./mail-rows.ts"
import { insertRow, updateVersioned } from "./row-changes.ts"

type Month = Pick<AccountDetails, "createdMs" | "periodStartMs">

type AccountUpdate = Extract<Mutation, { kind: "account.update" }>["set"]

/** Prepares changes of accounts, to be called in a transaction of the ledger. Unless one is `applied`, it changed nothing. */
export function prepareAccountChanges(database: Database, ledger: Ledger) {
  const findVersion = database.query<{ version: number; plan: string }, [string]>(
    "SELECT version, plan FROM accounts WHERE id = ?1",
  )
  const findTaken = database.query<unknown, [string, string]>(
    "SELECT 1 FROM accounts WHERE external_id = ?1 AND id <> ?2",
  )
  const findEmail = database.query<unknown, [string, string]>(
    "SELECT 1 FROM accounts WHERE email = ?1 AND id <> ?2",
  )
  const isTaken = ({ externalId, email }: Pick<AccountUpdate, "externalId" | "email">, id: string) =>
    (typeof externalId === "string" && findTaken.get(externalId, id) !== null) ||
    (typeof email === "string" && findEmail.get(email, id) !== null)
  const findDebt = database.query<{ debt: number }, [string]>("SELECT debt FROM ledger WHERE account_id = ?1")
  const writeDebt = database.query<unknown, [string, number]>(
    "UPDATE ledger SET debt = ?2 WHERE account_id = ?1",
  )

  return {
    insert(account: AccountDetails): AdminOutcome {
      if (isTaken(account, account.id)) return "taken"
      const { id, name, plan, createdMs, closedMs, periodStartMs, used, bonus } = account
      const { version, externalId, email, notify, metadata, events } = account
      insertRow(database, "accounts", {
        ...{ id, name, plan, createdMs, version, externalId, email, notify, metadata, events },
      })
      insertRow(database, "ledger", { accountId: id, closedMs, periodStartMs, used, bonus })
      if (bonus > 0) {
        const entry = { id: `adj_${id}`, accountId: id, atMs: createdMs, kind: "sign_up", credits: bonus }
        insertRow(database, "adjustments", { ...entry, reason: signUpReason, madeBy: "" })
      }
      return "applied"
    },
    update(id: string, version: number, { closedMs, ...fields }: AccountUpdate): AdminOutcome {
      const row = findVersion.get(id)
      if (row === null) return "missing"
      if (row.version !== version) return "conflict"
      if (isTaken(fields, id)) return "taken"
      updateVersioned(database, "accounts", id, fields)
      if (fields.notify !== undefined || fields.email !== undefined) dropUnwantedMails(database, id)
      // The account may be near the limit of its new plan.
      if (fields.plan !== undefined && fields.plan !== row.plan)
        changeEntry(ledger, id, (entry) => Object.assign(entry, { notified: Math.max(entry.notified, 1) }))
      if (closedMs !== undefined) changeEntry(ledger, id, (entry) => Object.assign(entry, { closedMs }))
      return "applied"
    },
    adjust({ id, entry, maxBonus, mayOwe }: AdjustMutation): AdminOutcome {
      const found = ledger.read(id)
      if (found === null) return "missing"
      const debt = findDebt.get(id)?.debt ?? 0
      const left = found.bonus - debt + entry.credits
      if (left > maxBonus) return "tooMuch"
      if (entry.credits < 0 && left < (mayOwe ? -maxBonus : 0)) return "tooLittle"
      if (!insertRow(database, "adjustments", { ...entry }, "ON CONFLICT DO NOTHING")) return "conflict"
      ledger.write(Object.assign(found, { bonus: Math.max(0, left) }))
      const newDebt = Math.max(0, -left)
      if (newDebt !== debt) writeDebt.run(id, newDebt)
      return "applied"
    },
    renew(id: string, { createdMs, periodStartMs }: Month): AdminOutcome {
      const isFound = changeEntry(ledger, id, (entry) => {
        ledger.closeDay(entry)
        Object.assign(entry, { periodStartMs, used: 0, notified: 0 })
      })
      if (!isFound) return "missing"
      database.query("UPDATE accounts SET created_ms = ?2 WHERE id = ?1").run(id, createdMs)
      detachUsage(database, id, periodStartMs)
      return "applied"
    },
  }
}

function changeEntry(
  ledger: Ledger,
  id: string,
  change: (entry: NonNullable<ReturnType<Ledger["read"]>>) => void,
): boolean {
  const entry = ledger.read(id)
  if (entry === null) return false
  change(entry)
  ledger.write(entry)
  return true
}

/** Moves the usage of a month to month 0, which means no month. */
function detachUsage(database: Database, accountId: string, periodStartMs: number): void {
  database
    .query(
      `INSERT INTO usage (account_id, period_start_ms, day, api, calls, credits, key_calls, key_credits)
       SELECT account_id, 0, day, api, calls, credits, key_calls, key_credits FROM usage
       WHERE account_id = ?1 AND period_start_ms = ?2
       ON CONFLICT DO UPDATE SET calls = calls + excluded.calls, credits = credits + excluded.credits,
         key_calls = key_calls + excluded.key_calls, key_credits = key_credits + excluded.key_credits`,
    )
    .run(accountId, periodStartMs)
  database
    .query("DELETE FROM usage WHERE account_id = ?1 AND period_start_ms = ?2")
    .run(accountId, periodStartMs)
}
