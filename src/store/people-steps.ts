import { check, insert, type Step, type StepsOf, step, update } from "./step.ts"

/** Rows that are deleted at once: each new row deletes more than it adds, and no deletion holds up calls for long. */
const mostDeleted = 200

/** Changes of admin keys, people, passkeys, sessions and links that sign in. */
export const peopleSteps = {
  "adminKey.insert": ({ adminKey, hash }) => [insert("admin_keys", { ...adminKey, hash })],
  /** An earlier revocation keeps its time. */
  "adminKey.revoke": ({ id, revokedMs }) => [
    step(
      `UPDATE admin_keys SET revoked_ms = CASE WHEN revoked_ms < $2::bigint THEN revoked_ms ELSE $2::bigint END
       WHERE id = $1 RETURNING 1`,
      [id, revokedMs],
      "missing",
    ),
  ],

  "person.insert": ({ person }) => [insert("people", { ...person })],
  "person.expect": ({ id, held }) => [
    step(
      "SELECT 1 FROM people WHERE id = $1 AND removed_ms IS NULL AND held = $2 FOR NO KEY UPDATE",
      [id, JSON.stringify(held)],
      "conflict",
    ),
  ],
  "person.update": ({ id, set }) => [
    update("people", { ...set }, ["id = $1 AND removed_ms IS NULL", id], "missing"),
  ],
  "person.remove": ({ id, removedMs }) => [
    update("people", { removedMs }, ["id = $1 AND removed_ms IS NULL", id], "missing"),
    step("DELETE FROM passkeys WHERE person_id = $1", [id]),
  ],
  "owner.require": ({ nowMs }) => [
    check(
      `EXISTS (SELECT 1 FROM admin_keys WHERE permissions LIKE '%"*"%' AND revoked_ms IS NULL
         AND (expires_ms IS NULL OR expires_ms > $1::bigint))
       OR EXISTS (SELECT 1 FROM people JOIN passkeys ON person_id = people.id
         WHERE removed_ms IS NULL AND people.permissions LIKE '%"*"%' AND passkeys.permissions LIKE '%"*"%')`,
      [nowMs],
      "noOwner",
    ),
  ],

  "passkey.insert": ({ passkey, most }) => [
    // Of two new passkeys of a person the second waits here.
    step(
      "SELECT 1 FROM people WHERE id = $1 AND removed_ms IS NULL FOR NO KEY UPDATE",
      [passkey.personId],
      "missing",
    ),
    check(
      "(SELECT count(*) FROM passkeys WHERE person_id = $1) < $2::bigint",
      [passkey.personId, most],
      "tooMany",
    ),
    insert("passkeys", { ...passkey }, "taken"),
  ],
  "passkey.rename": ({ id, name }) => [update("passkeys", { name }, ["id = $1", id], "missing")],
  "passkey.remove": ({ id }) => [
    step("DELETE FROM passkeys WHERE id = $1 RETURNING 1", [id], "missing"),
    step("DELETE FROM sessions WHERE passkey_id = $1", [id]),
  ],
  "passkey.use": ({ id, counter, usedMs }) => [
    update(
      "passkeys",
      { counter, usedMs },
      ["id = $1 AND (counter < $2::bigint OR (counter = 0 AND $2::bigint = 0))", id, counter],
      "conflict",
    ),
  ],
  "challenge.use": ({ hash, nowMs }) => [useOnce("passkey_challenges", hash, nowMs)],

  "link.insert": ({ link, hash }) => [
    deleteExpired("sign_in_links", link.createdMs),
    insert("sign_in_links", { ...link, hash }),
  ],
  "link.use": ({ hash, nowMs }) => [useOnce("sign_in_links", hash, nowMs)],
  "session.insert": ({ session, hash, most }) => [
    deleteExpired("sessions", session.createdMs),
    step(
      `DELETE FROM sessions WHERE hash IN (SELECT hash FROM sessions WHERE kind = $1 AND owner = $2
         ORDER BY created_ms DESC, id DESC LIMIT ${mostDeleted} OFFSET $3::bigint FOR UPDATE SKIP LOCKED)`,
      [session.kind, session.owner, most - 1],
    ),
    insert("sessions", { ...session, hash }),
  ],
  "session.end": ({ id }) => [step("DELETE FROM sessions WHERE id = $1", [id])],
  "session.endAll": ({ sessionKind, owner }) => [
    ...["sessions", "sign_in_links"].map((table) =>
      deleteInOrder(table, "hash", "kind = $1 AND owner = $2", [sessionKind, owner]),
    ),
    ...(sessionKind === "portal" ? [deleteInOrder("email_links", "id", "account_id = $1", [owner])] : []),
  ],
  "session.bind": ({ id, keyHash }) => [update("sessions", { keyHash }, ["id = $1", id])],
} satisfies StepsOf<"adminKey" | "person" | "owner" | "passkey" | "challenge" | "link" | "session">

/** Deletes a row that may be used once, until it expires. */
function useOnce(table: string, hash: string, nowMs: number): Step {
  const remove = `DELETE FROM ${table} WHERE hash = $1 AND expires_ms > $2::bigint RETURNING 1`
  return step(remove, [hash, nowMs], "missing")
}

/**
 * Deletes expired rows, oldest first. Until then they are ignored. Rows that another instance deletes at this moment are left to
 * it, so that no two wait for each other.
 */
function deleteExpired(table: string, nowMs: number): Step {
  const expired = `SELECT hash FROM ${table} WHERE expires_ms <= $1::bigint ORDER BY expires_ms LIMIT ${mostDeleted}`
  return step(`DELETE FROM ${table} WHERE hash IN (${expired} FOR UPDATE SKIP LOCKED)`, [nowMs])
}

/** Deletes rows in the order of a column, so that two instances that delete the same ones do not wait for each other. */
function deleteInOrder(table: string, column: string, condition: string, args: readonly string[]): Step {
  const select = `SELECT ${column} FROM ${table} WHERE ${condition} ORDER BY ${column} FOR UPDATE`
  return step(`DELETE FROM ${table} WHERE ${column} IN (${select})`, args)
}
