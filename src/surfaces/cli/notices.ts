import { Command } from "commander"
import type { Notices } from "../../accounts/notices.ts"
import { periodAt } from "../../accounts/period.ts"
import type { AttemptRecord, NoticeRecord } from "../../store/outbox.ts"
import { printRecord, printRows, type Row, toIso } from "./output.ts"
import type { CliParts } from "./parts.ts"
import { addSettings, readSettings } from "./settings.ts"

/** `notices`: what was raised, what was sent. */
export function noticesCommand(parts: CliParts): Command {
  const { terminal } = parts
  const command = new Command("notices")
    .description(
      "List the notices that accounts near the end of their credits were sent, or would have been.",
    )
    .option("--account <ID>", "of one account only")
    .option("--log", "list every attempt to deliver instead")
  return withNotices(parts, command, async (notices, { account, json, log }) => {
    const id = account === undefined ? undefined : String(account)
    if (log)
      printRows(terminal, (await notices.attempts(id)).map(toAttemptRow), json, "Nothing was sent yet.")
    else printRows(terminal, (await notices.list(id)).map(toRow), json, "There are no notices.")
  })
}

/** `account set-webhook`. */
export function setWebhookCommand(parts: CliParts): Command {
  const command = new Command("set-webhook")
    .description("Set where an account's notices are sent, and print the secret that signs them, this once.")
    .argument("<ID>", "the account")
    .argument("[URL]", "https, or http on localhost")
    .option("--allow-private", "let it stand in a private network")
    .option("--off", "send nothing any more")
    .hook("preAction", (_, self) => {
      const withUrl = self.processedArgs[1] !== undefined
      if (withUrl === (self.opts().off === true)) self.error("error: give either a URL or --off")
    })
  return withNotices(parts, command, async (notices, { allowPrivate, json }, id, url) => {
    if (url === undefined) {
      await notices.clearWebhook(id)
      printRecord(parts.terminal, { account: id, url: null }, json)
    } else {
      const webhook = await notices.setWebhook(id, url, { allowPrivate: allowPrivate === true })
      printRecord(parts.terminal, { account: id, ...webhook }, json)
    }
  })
}

type NoticesOptions = Readonly<Record<string, unknown>> & { readonly json: boolean }

function withNotices(
  { env, openNotices }: CliParts,
  command: Command,
  action: (notices: Notices, options: NoticesOptions, id: string, url?: string) => Promise<void>,
): Command {
  addSettings(command.option("--json", "print JSON"), ["db"])
  return command.action(async () => {
    const opened = openNotices(readSettings(command, env))
    try {
      const [id = "", url] = command.processedArgs
      const options = command.opts()
      await action(opened.notices, { ...options, json: options.json === true }, id, url)
    } finally {
      await opened.close()
    }
  })
}

function toRow(notice: NoticeRecord): Row {
  const { startMs, endMs } = periodAt(notice.accountCreatedMs, notice.periodStartMs)
  return {
    id: notice.id,
    account: notice.accountId,
    plan: notice.plan,
    threshold: notice.threshold,
    used: notice.used,
    allowance: notice.allowance,
    period_start: toIso(startMs),
    period_end: toIso(endMs),
    raised: toIso(notice.raisedMs),
    state: notice.state,
    attempts: notice.attempts,
    next_attempt: toIso(notice.nextAttemptMs),
    last_status: notice.lastStatus,
    last_error: notice.lastError,
    delivered: toIso(notice.deliveredMs),
  }
}

function toAttemptRow({ noticeId, attempt, atMs, durationMs, status, error }: AttemptRecord): Row {
  return { notice: noticeId, attempt, at: toIso(atMs), duration_ms: durationMs, status, error }
}
