import type { Database } from "bun:sqlite"
import type { AdminOutcome, Mutation } from "../admin-store.ts"
import { insertRow } from "./row-changes.ts"

type PeopleMutation = Extract<
  Mutation,
  { kind: `person.${string}` | `passkey.${string}` | `challenge.${string}` | "owner.require" }
>

/** Changes people, passkeys and their challenges, in a transaction. Unless the outcome is `applied`, it must be undone. */
export function changePeople(database: Database, mutation: PeopleMutation): AdminOutcome {
  switch (mutation.kind) {
    case "person.insert":
      insertRow(database, "people", { ...mutation.person })
      return "applied"
    case "person.expect": {
      const select = "SELECT 1 FROM people WHERE id = ?1 AND removed_ms IS NULL AND json(held) = ?2"
      return database.query(select).get(mutation.id, JSON.stringify(mutation.held)) ? "applied" : "conflict"
    }
    case "person.update": {
      const { name = null, permissions, held } = mutation.set
      const update = `UPDATE people SET name = coalesce(?2, name), permissions = coalesce(?3, permissions), held = coalesce(?4, held)
        WHERE id = ?1 AND removed_ms IS NULL`
      return run(database, update, mutation.id, name, toJson(permissions), toJson(held))
    }
    case "person.remove":
      database.query("DELETE FROM passkeys WHERE person_id = ?1").run(mutation.id)
      return run(
        database,
        "UPDATE people SET removed_ms = ?2 WHERE id = ?1 AND removed_ms IS NULL",
        mutation.id,
        mutation.removedMs,
      )
    case "passkey.insert":
      return insertPasskey(database, mutation)
    case "passkey.rename":
      return run(database, "UPDATE passkeys SET name = ?2 WHERE id = ?1", mutation.id, mutation.name)
    case "passkey.remove":
      database.query("DELETE FROM sessions WHERE passkey_id = ?1").run(mutation.id)
      return run(database, "DELETE FROM passkeys WHERE id = ?1", mutation.id)
    case "passkey.use": {
      const { id, counter, usedMs } = mutation
      const update = `UPDATE passkeys SET counter = ?2, used_ms = ?3
        WHERE id = ?1 AND (counter < ?2 OR (counter = 0 AND ?2 = 0))`
      return run(database, update, id, counter, usedMs) === "applied" ? "applied" : "conflict"
    }
    case "owner.require":
      return database.query(selectOwner).get(mutation.nowMs) ? "applied" : "noOwner"
    case "challenge.use": {
      const remove = "DELETE FROM passkey_challenges WHERE hash = ?1 AND expires_ms > ?2"
      return run(database, remove, mutation.hash, mutation.nowMs)
    }
  }
}

const selectOwner = `
  SELECT 1 FROM admin_keys
  WHERE permissions LIKE '%"*"%' AND revoked_ms IS NULL AND (expires_ms IS NULL OR expires_ms > ?1)
  UNION ALL SELECT 1 FROM people JOIN passkeys ON person_id = people.id
  WHERE removed_ms IS NULL AND people.permissions LIKE '%"*"%' AND passkeys.permissions LIKE '%"*"%' LIMIT 1`

function toJson(permissions: readonly string[] | undefined): string | null {
  return permissions ? JSON.stringify(permissions) : null
}

/** Runs a statement that changes one row; `missing` if there is no such row. */
function run(database: Database, statement: string, ...values: (string | number | null)[]): AdminOutcome {
  return database.query(statement).run(...values).changes === 1 ? "applied" : "missing"
}

function insertPasskey(
  database: Database,
  { passkey, most }: Extract<Mutation, { kind: "passkey.insert" }>,
): AdminOutcome {
  const { personId } = passkey
  const found = database
    .query<{ people: number; passkeys: number }, [string]>(
      `SELECT (SELECT count(*) FROM people WHERE id = ?1 AND removed_ms IS NULL) AS people,
         (SELECT count(*) FROM passkeys WHERE person_id = ?1) AS passkeys`,
    )
    .get(personId)
  if (found?.people !== 1) return "missing"
  if (found.passkeys >= most) return "tooMany"
  return insertRow(database, "passkeys", { ...passkey }, "ON CONFLICT (credential_id) DO NOTHING")
    ? "applied"
    : "taken"
}
