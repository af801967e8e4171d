import { check, insert, type StepsOf, step, update } from "./step.ts"

/** Changes of admin keys, people and passkeys. */
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
    // The second of two new passkeys of a person waits here.
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
} satisfies StepsOf<"adminKey" | "person" | "owner" | "passkey">
