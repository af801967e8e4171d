import type { EmailLink, EmailLinkLimits } from "./admin-store.ts"
import { check, insert, type Step, type StepsOf, step } from "./step.ts"

/** Rows that are deleted at once: each new row deletes more than it adds, and no deletion holds up calls for long. */
const mostDeleted = 200
const endLinks = `UPDATE email_links SET used_ms = created_ms WHERE id IN (
  SELECT id FROM email_links WHERE account_id = $1 AND used_ms IS NULL ORDER BY id FOR UPDATE)`

/** Changes of sessions, of the links that begin them, and of mails. */
export const linkSteps = {
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
