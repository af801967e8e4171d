import { notWanted } from "./mails.ts"
import type { TimedNotice } from "./outbox.ts"
import { check, insert, type Step, type StepsOf, step, update } from "./step.ts"

/** The reason of the adjustment that an account begins with. */
const signUpReason = "Sign-up bonus"

/** The condition of accounts whose notices are not sent. */
export const hasNoWebhook = "(webhook_url IS NULL OR webhook_gone_ms IS NOT NULL)"

/** Changes of accounts, keys, webhooks and notices. */
export const accountSteps = {
  "account.insert": ({ account }) => {
    const { id, name, plan, createdMs, closedMs, periodStartMs, used, bonus } = account
    const { version, externalId, email, notify, metadata, events } = account
    const entry = { id: `adj_${id}`, accountId: id, atMs: createdMs, kind: "sign_up", credits: bonus }
    return [
      insert("accounts", {
        ...{ id, name, plan, createdMs, version, externalId, email, notify, metadata, events },
      }),
      insert("ledger", { accountId: id, closedMs, periodStartMs, used, bonus }),
      ...(bonus > 0 ? [insert("adjustments", { ...entry, reason: signUpReason, madeBy: "" })] : []),
    ]
  },
  "account.update": ({ id, version, set: { closedMs, ...set } }) => [
    ...updateVersion("accounts", id, version, set),
    ...(set.notify === undefined && set.email === undefined ? [] : [dropUnwantedMails(id)]),
    ...(closedMs === undefined ? [] : [update("ledger", { closedMs }, ["account_id = $1", id])]),
  ],
  "account.adjust": ({ id, entry, maxBonus, mayOwe }) => {
    const { credits } = entry
    const left = "bonus - debt + $2::bigint"
    const ledger = "SELECT 1 FROM ledger WHERE account_id = $1"
    const least = mayOwe ? -maxBonus : 0
    return [
      step(ledger, [id], "missing"),
      step(`${ledger} AND ${left} <= $3::bigint`, [id, credits, maxBonus], "tooMuch"),
      step(`${ledger} AND ($2::bigint > 0 OR ${left} >= $3::bigint)`, [id, credits, least], "tooLittle"),
      insert("adjustments", { ...entry }, "conflict"),
      step(
        `UPDATE ledger SET bonus = CASE WHEN ${left} > 0 THEN ${left} ELSE 0 END,
           debt = CASE WHEN ${left} < 0 THEN -(${left}) ELSE 0 END WHERE account_id = $1`,
        [id, credits],
      ),
    ]
  },
  /** Usage of an earlier month with the same start counts in no month afterwards: month 0. */
  "account.renew": ({ id, createdMs, periodStartMs }) => {
    const ofMonth = "account_id = $1 AND period_start_ms = $2::bigint"
    const columns = "day, api, calls, credits, key_calls, key_credits"
    return [
      // PostgreSQL moves the day's usage to the usage table by a trigger; a data file has done so before.
      step(
        `UPDATE ledger SET period_start_ms = $2::bigint, used = 0, notified = 0, booked = '{}' WHERE account_id = $1 RETURNING 1`,
        [id, periodStartMs],
        "missing",
      ),
      update("accounts", { createdMs }, ["id = $1", id]),
      // Another instance may be adding up the days of this month.
      step(`SELECT 1 FROM usage WHERE ${ofMonth} ORDER BY day, api FOR UPDATE`, [id, periodStartMs]),
      step(
        `INSERT INTO usage (account_id, period_start_ms, ${columns})
         SELECT account_id, 0, ${columns} FROM usage WHERE ${ofMonth}
         ON CONFLICT (account_id, period_start_ms, day, api) DO UPDATE
         SET calls = usage.calls + excluded.calls, credits = usage.credits + excluded.credits,
           key_calls = usage.key_calls + excluded.key_calls, key_credits = usage.key_credits + excluded.key_credits`,
        [id, periodStartMs],
      ),
      step(`DELETE FROM usage WHERE ${ofMonth}`, [id, periodStartMs]),
    ]
  },

  "key.insert": ({ key, secret: { hash, createdMs } }) => [
    exists("accounts", key.accountId),
    insert("keys", { ...key }),
    insert("secrets", { hash, keyId: key.id, createdMs }),
  ],
  "key.update": ({ id, version, set }) => updateVersion("keys", id, version, set),
  "key.rotate": ({ id, version, secret: { hash, prefix, createdMs }, othersUntilMs: untilMs }) => [
    ...updateVersion("keys", id, version, { prefix }),
    update("secrets", { untilMs }, [
      "key_id = $1 AND (until_ms IS NULL OR until_ms > $2::bigint)",
      id,
      untilMs,
    ]),
    insert("secrets", { hash, keyId: id, createdMs }),
  ],
  "keys.limit": ({ accountId, most, nowMs }) => [
    check(
      `(SELECT count(*) FROM keys WHERE account_id = $1 AND revoked_ms IS NULL
        AND (expires_ms IS NULL OR expires_ms > $2::bigint)) < $3::bigint`,
      [accountId, nowMs, most],
      "tooMany",
    ),
  ],

  "webhook.set": ({ accountId, webhook }) => [
    update(
      "accounts",
      {
        webhookUrl: webhook?.url ?? null,
        webhookSecret: webhook?.secret ?? null,
        webhookAllowPrivate: webhook?.allowPrivate ?? false,
        webhookGoneMs: null,
      },
      ["id = $1", accountId],
      "missing",
    ),
    ...(webhook
      ? []
      : [
          update("notices", { state: "unsent", nextAttemptMs: null }, [
            "account_id = $1 AND state = 'pending'",
            accountId,
          ]),
        ]),
  ],
  "notice.insert": ({ nowMs, accountId, ...notice }) => [
    exists("accounts", accountId),
    insertNotice({ ...notice, accountId, raisedMs: nowMs, periodStartMs: null }),
  ],
  "notice.resend": ({ id, nowMs }) => [
    step(
      `SELECT 1 FROM notices JOIN accounts ON accounts.id = account_id WHERE notices.id = $1 AND NOT ${hasNoWebhook}`,
      [id],
      "missing",
    ),
    update("notices", { state: "pending", nextAttemptMs: nowMs, waitedMs: 0, deliveredMs: null }, [
      "id = $1 AND state <> 'pending'",
      id,
    ]),
  ],
} satisfies StepsOf<"account" | "key" | "keys" | "webhook" | "notice">

/**
 * Makes a notice due, or `unsent` when its account has no webhook. It gives no row without the account, or if there is a notice
 * with its id.
 */
export function insertNotice(notice: TimedNotice): Step {
  const { id, type, data, periodStartMs, raisedMs, accountId } = notice
  return step(
    `INSERT INTO notices (id, account_id, type, data, period_start_ms, plan, used, raised_ms, state, next_attempt_ms)
     SELECT $1, accounts.id, $2, $3, coalesce($4::bigint, period_start_ms), plan,
       CASE WHEN $4::bigint > period_start_ms THEN 0 ELSE used END, $5::bigint,
       CASE WHEN ${hasNoWebhook} THEN 'unsent' ELSE 'pending' END, CASE WHEN NOT ${hasNoWebhook} THEN $5::bigint END
     FROM accounts JOIN ledger ON ledger.account_id = accounts.id WHERE accounts.id = $6
     ON CONFLICT (id) DO NOTHING RETURNING id`,
    [id, type, data, periodStartMs, raisedMs, accountId],
  )
}

function exists(table: "accounts" | "keys", id: string): Step {
  return step(`SELECT 1 FROM ${table} WHERE id = $1`, [id], "missing")
}

/** Changes a row of one version, and raises it. */
function updateVersion(
  table: "accounts" | "keys",
  id: string,
  version: number,
  set: Parameters<typeof update>[1],
): readonly Step[] {
  const condition = ["id = $1 AND version = $2::bigint", id, version] as const
  return [exists(table, id), update(table, { ...set, version: version + 1 }, condition, "conflict")]
}

/** Marks as unsent the waiting notices of an account that it wants by mail no more, or at another address. */
function dropUnwantedMails(accountId: string): Step {
  return update("mails", { state: "unsent", nextAttemptMs: null, lastStatus: null, lastError: notWanted }, [
    `account_id = $1 AND template = 'notice' AND state = 'pending' AND NOT EXISTS (
       SELECT 1 FROM accounts WHERE id = $1 AND notify IN ('mail', 'both') AND email = recipient)`,
    accountId,
  ])
}
