import type { Command } from "commander"
import { periodAt } from "../../accounts/period.ts"
import type { AttemptRecord, NoticeRecord } from "../../store/outbox.ts"
import { onDataFile } from "./data-file-command.ts"
import { example, printRows, type Row, toIso } from "./output.ts"
import type { CliParts } from "./parts.ts"

/** `notices`: the notices to accounts that are running out of credits, and their delivery. */
export function addNotices(program: Command, parts: CliParts): void {
  const { terminal, openNotices } = parts
  const command = program
    .command("notices")
    .description("List the notices to accounts that are running out of credits.")
    .option("--account <ID>", "only the notices of this account")
    .option("--log", "list every delivery attempt instead")
    .addHelpText("after", example("penknife notices --log"))
  onDataFile(command, parts, openNotices, async ({ notices }, { account, json, log }: Flags) => {
    if (log) {
      const attempts = await notices.attempts(account)
      printRows(terminal, attempts.map(toAttemptRow), json, "No delivery attempts.")
    } else printRows(terminal, (await notices.list(account)).map(toRow), json, "No notices.")
  })
}

type Flags = { readonly account?: string; readonly json?: boolean; readonly log?: boolean }

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
