import { Command } from "commander"
import { type AccountStatus, requireNewAccount } from "../../accounts/accounts.ts"
import type { AccountRecord } from "../../store/store.ts"
import { administrative } from "./administrative.ts"
import { setWebhookCommand } from "./notices.ts"
import { printRecord, printRows, type Row, toIso } from "./output.ts"
import type { CliParts } from "./parts.ts"
import { toPositiveInteger } from "./values.ts"

/** `account create · list · show · set-plan · grant · renew · set-webhook · close`. */
export function accountCommand(parts: CliParts): Command {
  const { terminal } = parts
  return new Command("account")
    .description("Make and manage accounts.")
    .addCommand(
      administrative(
        parts,
        new Command("create")
          .description("Make an account.")
          .requiredOption("--name <NAME>", "what to call it")
          .option("--plan <PLAN>", "its plan", "free"),
        async (accounts, { name, plan, json }) => {
          const account = await accounts.create(String(name), String(plan))
          printRecord(terminal, toRow(account), json)
        },
        {
          create: true,
          check: ({ plans }, { name, plan }) => void requireNewAccount(String(name), String(plan), plans),
        },
      ),
    )
    .addCommand(
      administrative(
        parts,
        new Command("list").description("List all accounts."),
        async (accounts, { json }) => {
          const listed = await accounts.list()
          const hasProblem = listed.some(({ problem }) => problem !== null)
          const rows = listed.map((account) => ({
            ...toRow(account),
            ...(hasProblem && { problem: account.problem }),
          }))
          printRows(terminal, rows, json, "There are no accounts; make one with 'account create'.")
        },
      ),
    )
    .addCommand(
      administrative(
        parts,
        new Command("show").description("Show an account and its credits.").argument("<ID>", "the account"),
        async (accounts, { json }, id) => printRecord(terminal, toStatusRow(await accounts.show(id)), json),
      ),
    )
    .addCommand(
      administrative(
        parts,
        new Command("set-plan")
          .description("Change the plan.")
          .argument("<ID>", "the account")
          .argument("<PLAN>", "its new plan"),
        async (accounts, { json }, id, plan) => {
          await accounts.setPlan(id, plan)
          printRecord(terminal, toStatusRow(await accounts.show(id)), json)
        },
      ),
    )
    .addCommand(
      administrative(
        parts,
        new Command("grant")
          .description("Give credits; they are added to the bonus and do not expire.")
          .argument("<ID>", "the account")
          .argument("<CREDITS>", "how many", toPositiveInteger),
        async (accounts, { json }, id, credits) => {
          await accounts.grant(id, Number(credits))
          printRecord(terminal, toStatusRow(await accounts.show(id)), json)
        },
      ),
    )
    .addCommand(
      administrative(
        parts,
        new Command("renew")
          .description(
            "Begin the credit month anew, by the account's creation day and the present time, with nothing used. For an account whose month lies in the future because a clock was ahead.",
          )
          .argument("<ID>", "the account"),
        async (accounts, { json }, id) => {
          await accounts.renew(id)
          printRecord(terminal, toStatusRow(await accounts.show(id)), json)
        },
      ),
    )
    .addCommand(setWebhookCommand(parts))
    .addCommand(
      administrative(
        parts,
        new Command("close")
          .description("Close an account: its keys stop working at once.")
          .argument("<ID>", "the account"),
        async (accounts, { json }, id) => {
          await accounts.closeAccount(id)
          printRecord(terminal, toStatusRow(await accounts.show(id)), json)
        },
      ),
    )
}

function toRow(account: AccountRecord): Row {
  return {
    id: account.id,
    name: account.name,
    plan: account.plan,
    created: toIso(account.createdMs),
    closed: toIso(account.closedMs),
  }
}

function toStatusRow({ account, plan, balance, keys }: AccountStatus): Row {
  return {
    ...toRow(account),
    allowance: plan && (balance.allowance ?? "unlimited"),
    used: balance.used,
    bonus: balance.bonus,
    remaining: plan && (balance.remaining ?? "unlimited"),
    renews: toIso(balance.period.endMs),
    keys: keys.length,
    ...(account.problem !== null && { problem: account.problem }),
  }
}
