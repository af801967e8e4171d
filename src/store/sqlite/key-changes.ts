import type { Database } from "bun:sqlite"
import type { AdminOutcome, KeyDetails, Mutation } from "../admin-store.ts"
import type { SecretRecord } from "../store.ts"
import { insertRow, updateVersioned } from "./row-changes.ts"

type KeyUpdate = Extract<Mutation, { kind: "key.update" }>["set"]

/** Prepares changes of keys, to be called in a transaction. Unless one is `applied`, it changed nothing. */
export function prepareKeyChanges(database: Database) {
  const findVersion = database.query<{ version: number }, [string]>("SELECT version FROM keys WHERE id = ?1")
  const findAccount = database.query<unknown, [string]>("SELECT 1 FROM accounts WHERE id = ?1")
  const insertSecret = database.query<unknown, [string, string, number]>(
    "INSERT INTO secrets (hash, key_id, created_ms) VALUES (?1, ?2, ?3)",
  )

  function update(id: string, version: number, set: KeyUpdate & { readonly prefix?: string }): AdminOutcome {
    const row = findVersion.get(id)
    if (row === null) return "missing"
    if (row.version !== version) return "conflict"
    updateVersioned(database, "keys", id, set)
    return "applied"
  }

  return {
    insert(key: KeyDetails, secret: SecretRecord): AdminOutcome {
      if (findAccount.get(key.accountId) === null) return "missing"
      insertRow(database, "keys", { ...key })
      insertSecret.run(secret.hash, key.id, secret.createdMs)
      return "applied"
    },
    update,
    rotate(id: string, version: number, secret: SecretRecord, othersUntilMs: number): AdminOutcome {
      const outcome = update(id, version, { prefix: secret.prefix })
      if (outcome !== "applied") return outcome
      database
        .query("UPDATE secrets SET until_ms = min(coalesce(until_ms, ?2), ?2) WHERE key_id = ?1")
        .run(id, othersUntilMs)
      insertSecret.run(secret.hash, id, secret.createdMs)
      return "applied"
    },
  }
}
