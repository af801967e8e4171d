/** Links that were sent by e-mail, in a data file. */
import type { Database } from "bun:sqlite"
import type { AdminOutcome, EmailLinkLimits, Mutation } from "../admin-store.ts"
import { insertRow } from "./row-changes.ts"

type EmailLinkMutation = Extract<Mutation, { kind: `emailLink.${string}` }>
type Insertion = Extract<Mutation, { kind: "emailLink.insert" }>

/** Rows that are deleted at once, so that none holds up calls for long. */
const maxDeleted = 200

/** Changes links, in a transaction. Unless the outcome is `applied`, it must be undone. */
export function changeEmailLinks(database: Database, mutation: EmailLinkMutation): AdminOutcome {
  switch (mutation.kind) {
    case "emailLink.insert":
      return insertLink(database, mutation)
    case "emailLink.use":
      return useLink(database, mutation.hash, mutation.nowMs)
    case "emailLink.revoke": {
      const remove = "DELETE FROM email_links WHERE id = ?1 AND kind = 'invitation' AND used_ms IS NULL"
      return database.query(remove).run(mutation.id).changes === 1 ? "applied" : "missing"
    }
  }
}

/** Takes back the links that sign in to an account. */
export function endLinksOfAccount(database: Database, accountId: string): void {
  database.query("DELETE FROM email_links WHERE account_id = ?1").run(accountId)
}

function insertLink(database: Database, { link, hash, limits }: Insertion): AdminOutcome {
  database
    .query(
      `DELETE FROM email_links WHERE id IN (
         SELECT id FROM email_links WHERE expires_ms <= ?1 ORDER BY expires_ms LIMIT ?2)`,
    )
    .run(link.createdMs, maxDeleted)
  if (limits !== null && isOver(database, link, limits)) return "tooMany"
  const { asked = null, mailbox = null } = limits ?? {}
  insertRow(database, "email_links", { ...link, asked, mailbox })
  if (hash !== null) insertRow(database, "email_link_tokens", { hash, linkId: link.id })
  return "applied"
}

const isInNetwork = "network >= $network AND network < $network || '~'"

/** Whether a question is beyond a limit. The function `is_link_over` of PostgreSQL does the same. */
function isOver(
  database: Database,
  { createdMs, browser }: Insertion["link"],
  { asked, mailbox, networks, perMailboxAndNetwork, perMailbox, mostPerMailbox, inAll }: EmailLinkLimits,
): boolean {
  const network = networks.at(-1)?.name ?? ""
  const count = (condition: string, most: number, values: Readonly<Record<string, string>>) =>
    database
      .query<{ count: number }, Record<string, string | number>>(
        `SELECT count(*) AS count FROM (SELECT 1 FROM email_links
           WHERE asked IS NOT NULL AND expires_ms > $createdMs AND ${condition} LIMIT $most)`,
      )
      .get({ ...values, createdMs, most })?.count ?? 0
  if (inAll !== null && count("asked = $asked", inAll, { asked }) >= inAll) return true
  if (networks.some(({ name, most }) => count(isInNetwork, most, { network: name }) >= most)) return true
  const ofMailbox = count("mailbox = $mailbox", mostPerMailbox, { mailbox })
  const ofBoth = count(`mailbox = $mailbox AND ${isInNetwork}`, mostPerMailbox, { mailbox, network })
  if (ofMailbox >= (ofBoth === 0 ? mostPerMailbox : perMailbox)) return true
  if (ofBoth < perMailboxAndNetwork) return false
  if (ofBoth >= 2 * perMailboxAndNetwork) return true
  const replaced = database
    .query(
      `UPDATE email_links SET used_ms = $createdMs WHERE id = (
         SELECT id FROM email_links WHERE mailbox = $mailbox AND ${isInNetwork} AND expires_ms > $createdMs AND used_ms IS NULL
         ORDER BY created_ms, id LIMIT 1)
       AND NOT EXISTS (SELECT 1 FROM email_links WHERE mailbox = $mailbox AND browser = $browser AND expires_ms > $createdMs)`,
    )
    .run({ mailbox, network, createdMs, browser })
  return replaced.changes === 0
}

function useLink(database: Database, hash: string, nowMs: number): AdminOutcome {
  const used = database
    .query<{ kind: string; email: string }, [string, number]>(
      `UPDATE email_links SET used_ms = ?2
       WHERE id = (SELECT link_id FROM email_link_tokens WHERE hash = ?1) AND used_ms IS NULL AND expires_ms > ?2
       RETURNING kind, email`,
    )
    .get(hash, nowMs)
  if (used === null) return "missing"
  if (used.kind !== "sign-in") {
    database
      .query("UPDATE email_links SET used_ms = ?2 WHERE email = ?1 AND kind <> 'sign-in' AND used_ms IS NULL")
      .run(used.email, nowMs)
  }
  return "applied"
}
