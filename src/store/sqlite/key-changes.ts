import type { Database } from "bun:sqlite"
import type { AdminOutcome, KeyDetails, Mutation } from "../admin-store.ts"
import { toKeyRow } from "../rows.ts"
import type { SecretRecord } from "../store.ts"
import { toAssignments } from "./assignments.ts"

type KeyUpdate = Extract<Mutation, { kind: "key.update" }>["set"]

/** Changes of keys, to be called in a transaction. Unless one is `applied`, it changed nothing. */
export interface KeyChanges {
  insert(key: KeyDetails, secret: SecretRecord): AdminOutcome
  update(id: string, version: number, set: KeyUpdate): AdminOutcome
  rotate(id: string, version: number, secret: SecretRecord, othersUntilMs: number): AdminOutcome
}

const columns = {
  name: "name",
  prefix: "prefix",
  expiresMs: "expires_ms",
  revokedMs: "revoked_ms",
  disabledMs: "disabled_ms",
  allowApis: "allow_apis",
  blockApis: "block_apis",
  allowIps: "allow_ips",
  rateLimit: "rate_limit",
  externalId: "external_id",
  metadata: "metadata",
}

export function prepareKeyChanges(database: Database): KeyChanges {
  const findVersion = database.query<{ version: number }, [string]>("SELECT version FROM keys WHERE id = ?1")
  const findAccount = database.query<unknown, [string]>("SELECT 1 FROM accounts WHERE id = ?1")
  const insertSecret = database.query<unknown, [string, string, number]>(
    "INSERT INTO secrets (hash, key_id, created_ms) VALUES (?1, ?2, ?3)",
  )

  function update(
    id: string,
    version: number,
    { allowApis, blockApis, allowIps, ...fields }: KeyUpdate & { readonly prefix?: string },
  ): AdminOutcome {
    const row = findVersion.get(id)
    if (row === null) return "missing"
    if (row.version !== version) return "conflict"
    const set = toAssignments(columns, {
      ...fields,
      allowApis: allowApis && JSON.stringify(allowApis),
      blockApis: blockApis && JSON.stringify(blockApis),
      allowIps: allowIps && JSON.stringify(allowIps),
    })
    database
      .query(`UPDATE keys SET version = version + 1${set ? `, ${set.sql}` : ""} WHERE id = $id`)
      .run({ ...set?.values, id })
    return "applied"
  }

  return {
    insert(key, secret) {
      if (findAccount.get(key.accountId) === null) return "missing"
      database
        .query(
          `INSERT INTO keys (id, account_id, created_ms, version, ${Object.values(columns).join(", ")})
           VALUES ($id, $accountId, $createdMs, $version, ${Object.keys(columns)
             .map((field) => `$${field}`)
             .join(", ")})`,
        )
        .run({ ...toKeyRow(key) })
      insertSecret.run(secret.hash, key.id, secret.createdMs)
      return "applied"
    },
    update,
    rotate(id, version, secret, othersUntilMs) {
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
