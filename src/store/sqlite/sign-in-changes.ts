import type { Database } from "bun:sqlite"
import type { AdminOutcome, Mutation } from "../admin-store.ts"
import { endLinksOfAccount } from "./email-links.ts"
import { insertRow } from "./row-changes.ts"

type SignInMutation = Extract<Mutation, { kind: `link.${string}` | `session.${string}` }>

/** Changes links and sessions, in a transaction. Unless the outcome is `applied`, it changed nothing. */
export function changeSignIns(database: Database, mutation: SignInMutation): AdminOutcome {
  switch (mutation.kind) {
    case "link.insert":
      deleteExpired(database, "sign_in_links", mutation.link.createdMs)
      insertRow(database, "sign_in_links", { ...mutation.link, hash: mutation.hash })
      return "applied"
    case "link.use": {
      const remove = database.query("DELETE FROM sign_in_links WHERE hash = ?1 AND expires_ms > ?2")
      return remove.run(mutation.hash, mutation.nowMs).changes === 1 ? "applied" : "missing"
    }
    case "session.insert":
      return insertSession(database, mutation)
    case "session.end":
      database.query("DELETE FROM sessions WHERE id = ?1").run(mutation.id)
      return "applied"
    case "session.endAll":
      for (const table of ["sessions", "sign_in_links"]) {
        database
          .query(`DELETE FROM ${table} WHERE kind = ?1 AND owner = ?2`)
          .run(mutation.sessionKind, mutation.owner)
      }
      if (mutation.sessionKind === "portal") endLinksOfAccount(database, mutation.owner)
      return "applied"
    case "session.bind":
      database.query("UPDATE sessions SET key_hash = ?2 WHERE id = ?1").run(mutation.id, mutation.keyHash)
      return "applied"
  }
}

/** Rows that are deleted at once: each sign-in deletes more than it adds, and none holds up calls for long. */
const maxDeleted = 200

/** Deletes expired rows, oldest first. Until then they are ignored. */
function deleteExpired(database: Database, table: "sessions" | "sign_in_links", nowMs: number): void {
  database
    .query(
      `DELETE FROM ${table} WHERE hash IN (
         SELECT hash FROM ${table} WHERE expires_ms <= ?1 ORDER BY expires_ms LIMIT ?2)`,
    )
    .run(nowMs, maxDeleted)
}

function insertSession(
  database: Database,
  { session, hash, most }: Extract<Mutation, { kind: "session.insert" }>,
): AdminOutcome {
  const { kind, owner, createdMs } = session
  deleteExpired(database, "sessions", createdMs)
  database
    .query(
      `DELETE FROM sessions WHERE id IN (
         SELECT id FROM sessions WHERE kind = ?1 AND owner = ?2 ORDER BY created_ms DESC, id DESC LIMIT -1 OFFSET ?3)`,
    )
    .run(kind, owner, most - 1)
  insertRow(database, "sessions", { ...session, hash })
  return "applied"
}
