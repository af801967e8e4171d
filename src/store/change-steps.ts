import { accountSteps } from "./account-steps.ts"
import type { AdminChange, EmailLink, EmailLinkLimits, Mutation } from "./admin-store.ts"
import { check, insert, type Step, type StepsOf, step, update } from "./step.ts"

/** Changes of admin keys, people and passkeys. */
const peopleSteps = {
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

/** Rows that are deleted at once: each new row deletes more than it adds, and no deletion holds up calls for long. */
const mostDeleted = 200
const endLinks = `UPDATE email_links SET used_ms = created_ms WHERE id IN (
  SELECT id FROM email_links WHERE account_id = $1 AND used_ms IS NULL ORDER BY id FOR UPDATE)`

/** Changes of sessions, of the links that begin them, and of mails. */
const linkSteps = {
  "link.insert": ({ link, hash }) => [
    deleteExpired("sign_in_links", "hash", link.createdMs),
    insert("sign_in_links", { ...link, hash }),
  ],
  "link.use": ({ hash, nowMs }) => [useOnce("sign_in_links", hash, nowMs)],
  "session.insert": ({ session, hash, most }) => [
    deleteExpired("sessions", "hash", session.createdMs),
    deleteRows(
      "sessions",
      "hash",
      `kind = $1 AND owner = $2 ORDER BY created_ms DESC, id DESC LIMIT ${mostDeleted} OFFSET $3::bigint FOR UPDATE SKIP LOCKED`,
      [session.kind, session.owner, most - 1],
    ),
    insert("sessions", { ...session, hash }),
  ],
  "session.end": ({ id }) => [step("DELETE FROM sessions WHERE id = $1", [id])],
  // Rows are locked in an order, so that two instances that delete the same ones do not wait for each other.
  "session.endAll": ({ sessionKind, owner }) => [
    ...["sessions", "sign_in_links"].map((table) =>
      deleteRows(table, "hash", "kind = $1 AND owner = $2 ORDER BY hash FOR UPDATE", [sessionKind, owner]),
    ),
    // Mailed links end but stay, and count for the limits of those who asked: otherwise these would tell of the account.
    ...(sessionKind === "portal" ? [step(endLinks, [owner])] : []),
  ],
  "session.bind": ({ id, keyHash }) => [
    step("UPDATE sessions SET key_hash = $2 WHERE id = $1", [id, keyHash]),
  ],
  "challenge.use": ({ hash, nowMs }) => [useOnce("passkey_challenges", hash, nowMs)],

  "emailLink.insert": ({ link, hash, limits }) => [
    deleteExpired("email_links", "id", link.createdMs),
    ...(limits ? limitSteps(link, limits) : []),
    insert("email_links", { ...link, asked: limits?.asked ?? null, mailbox: limits?.mailbox ?? null }),
    ...(hash === null ? [] : [insert("email_link_tokens", { hash, linkId: link.id })]),
  ],
  "emailLink.use": ({ hash, nowMs }) => [
    step(
      `UPDATE email_links SET used_ms = $2::bigint WHERE id = (SELECT link_id FROM email_link_tokens WHERE hash = $1)
         AND used_ms IS NULL AND expires_ms > $2::bigint RETURNING 1`,
      [hash, nowMs],
      "missing",
    ),
    step(
      `UPDATE email_links SET used_ms = $2::bigint WHERE id IN (
         SELECT id FROM email_links WHERE kind <> 'sign-in' AND used_ms IS NULL AND email = (
           SELECT email FROM email_link_tokens JOIN email_links ON id = link_id WHERE hash = $1 AND kind <> 'sign-in')
         ORDER BY id FOR UPDATE)`,
      [hash, nowMs],
    ),
  ],
  "emailLink.revoke": ({ id }) => [
    step(
      "DELETE FROM email_links WHERE id = $1 AND kind = 'invitation' AND used_ms IS NULL RETURNING 1",
      [id],
      "missing",
    ),
  ],
  "mail.insert": ({ mail: { nowMs, ...mail } }) => [
    insert("mails", { ...mail, raisedMs: nowMs, state: "pending", nextAttemptMs: nowMs }, null),
  ],
} satisfies StepsOf<"link" | "session" | "challenge" | "emailLink" | "mail">

/** Ends the change if a question for a link is beyond a limit. */
function limitSteps({ createdMs, browser }: EmailLink, limits: EmailLinkLimits): readonly Step[] {
  const { asked, mailbox, networks, perMailboxAndNetwork, perMailbox, mostPerMailbox, inAll } = limits
  const questions = "FROM email_links WHERE asked IS NOT NULL AND expires_ms > $1::bigint"
  const fewer = (condition: string, value: string, most: number) =>
    check(
      `(SELECT count(*) FROM (SELECT 1 ${questions} AND ${condition} LIMIT $3::bigint) AS found) < $3::bigint`,
      [createdMs, value, most],
      "tooMany",
    )
  const ofMailbox = `${questions} AND mailbox = $2`
  const ofBoth = `${ofMailbox} AND network >= $3 AND network < $3 || '~'`
  const both = [createdMs, mailbox, networks.at(-1)?.name ?? ""]
  const unused = `SELECT id ${ofBoth} AND used_ms IS NULL ORDER BY created_ms, id LIMIT 1`
  return [
    ...(inAll === null ? [] : [fewer("asked = $2", asked, inAll)]),
    ...networks.map(({ name, most }) => fewer("network >= $2 AND network < $2 || '~'", name, most)),
    check(
      `(SELECT count(*) ${ofMailbox}) < CASE WHEN EXISTS (SELECT 1 ${ofBoth}) THEN $4::bigint ELSE $5::bigint END`,
      [...both, perMailbox, mostPerMailbox],
      "tooMany",
    ),
    check(
      `(SELECT count(*) ${ofBoth}) < $4::bigint OR ((SELECT count(*) ${ofBoth}) < 2 * $4::bigint
         AND EXISTS (${unused}) AND NOT EXISTS (SELECT 1 ${ofMailbox} AND browser = $5))`,
      [...both, perMailboxAndNetwork, browser],
      "tooMany",
    ),
    // The new link takes the place of the oldest unused one.
    step(
      `UPDATE email_links SET used_ms = $1::bigint WHERE id = (${unused}) AND (SELECT count(*) ${ofBoth}) >= $4::bigint`,
      [...both, perMailboxAndNetwork],
    ),
  ]
}

/** Deletes a row that may be used once, until it expires. */
function useOnce(table: string, hash: string, nowMs: number): Step {
  const remove = `DELETE FROM ${table} WHERE hash = $1 AND expires_ms > $2::bigint RETURNING 1`
  return step(remove, [hash, nowMs], "missing")
}

/**
 * Deletes expired rows, oldest first. Until then they are ignored. Rows that another instance deletes at this moment are left to
 * it, so that no two wait for each other.
 */
function deleteExpired(table: string, id: string, nowMs: number): Step {
  const oldest = `expires_ms <= $1::bigint ORDER BY expires_ms LIMIT ${mostDeleted} FOR UPDATE SKIP LOCKED`
  return deleteRows(table, id, oldest, [nowMs])
}

function deleteRows(table: string, id: string, condition: string, args: Step["args"]): Step {
  return step(`DELETE FROM ${table} WHERE ${id} IN (SELECT ${id} FROM ${table} WHERE ${condition})`, args)
}

const mutationSteps: StepsOf<string> = { ...accountSteps, ...peopleSteps, ...linkSteps }

/**
 * A change as steps that a store runs in one transaction, in this order.
 * @param first the store's own steps, after a replay was looked for: of two changes with one key the second waits there
 * @param last its own steps after the mutations
 */
export function toSteps(
  { mutations, audit, auditParts = [], replay }: AdminChange,
  first: readonly Step[] = [],
  last: readonly Step[] = [],
): readonly Step[] {
  const { operation, targetId } = audit
  return [
    ...(replay ? [insert("replays", { ...replay, operation, targetId }, "replayed")] : []),
    ...first,
    ...mutations.flatMap(stepsOf),
    ...last,
    ...[...auditParts, audit].map(({ before, after, ...record }) =>
      insert("audit", { ...record, beforeJson: before, afterJson: after }),
    ),
  ]
}

function stepsOf(mutation: Mutation): readonly Step[] {
  const toSteps: (mutation: never) => readonly Step[] = mutationSteps[mutation.kind]
  return toSteps(mutation as never)
}

/** The account whose row of the ledger a mutation changes; null without one. */
export function balanceOf(mutation: Mutation): string | null {
  const { kind } = mutation
  if (kind === "account.insert") return mutation.account.id
  return kind === "account.update" || kind === "account.adjust" || kind === "account.renew"
    ? mutation.id
    : null
}

type RaisingMutation = Extract<Mutation, { kind: `notice.${string}` | `mail.${string}` }>

/** Whether a mutation makes a notice or a mail due. */
export function isRaising(mutation: Mutation): mutation is RaisingMutation {
  return mutation.kind.startsWith("notice.") || mutation.kind.startsWith("mail.")
}
