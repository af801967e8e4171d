import type { Command } from "commander"
import { requireNewAccount } from "../../accounts/requirements.ts"
import type { AccountStatus, Accounts } from "../../admin/program-accounts.ts"
import type { AccountRecord } from "../../store/store.ts"
import { onAccounts, onDataFile } from "./data-file-command.ts"
import { example, printRecord, printRows, type Row, toIso } from "./output.ts"
import type { CliParts } from "./parts.ts"
import { toPositiveInteger } from "./values.ts"
import { addSetWebhook } from "./webhook.ts"

/** `account create · list · show · set-plan · grant · renew · set-webhook · close`. */
export function addAccount(program: Command, parts: CliParts): void {
  const { terminal } = parts
  const group = program
    .command("account")
    .description("Create and manage accounts.")
    .addHelpText("after", example("penknife account create --name Ann --plan pro"))

  /** Adds a command that does something with one account and prints the account. */
  function onAccount(
    name: string,
    description: string,
    run: (accounts: Accounts, id: string, value: string) => Promise<void>,
    exampleValue = "",
  ): Command {
    const command = group
      .command(name)
      .description(description)
      .argument("<ID>", "the account's id")
      .addHelpText("after", example(`penknife account ${name} acc_1234567890abcdef ${exampleValue}`.trim()))
    return onAccounts(command, parts, async (accounts, { json }, id = "", value = "") => {
      await run(accounts, id, value)
      printRecord(terminal, toStatusRow(await accounts.show(id)), json)
    })
  }

  const create = group
    .command("create")
    .description("Create an account.")
    .requiredOption("--name <NAME>", "the account's name")
    .option("--plan <PLAN>", "the account's plan", "free")
    .addHelpText("after", example("penknife account create --name Ann --plan pro"))
  onDataFile(
    create,
    parts,
    (config, { name, plan }: { name: string; plan: string }) => {
      requireNewAccount(name, plan, config.plans)
      return parts.openAccounts(config, { create: true })
    },
    async ({ accounts }, { name, plan, json }) => {
      const { id } = await accounts.create(name, plan)
      printRecord(terminal, toRow((await accounts.show(id)).account), json)
    },
  )

  const list = group
    .command("list")
    .description("List all accounts.")
    .addHelpText("after", example("penknife account list --json"))
  onAccounts(list, parts, async (accounts, { json }) => {
    const listed = await accounts.list()
    const hasProblem = listed.some(({ problem }) => problem !== null)
    const rows = listed.map((account) => ({
      ...toRow(account),
      ...(hasProblem && { problem: account.problem }),
    }))
    printRows(terminal, rows, json, "No accounts. Create one with 'account create'.")
  })

  onAccount("show", "Show an account and its credits.", async () => {})
  onAccount(
    "set-plan",
    "Change an account's plan.",
    (accounts, id, plan) => accounts.setPlan(id, plan),
    "pro",
  ).argument("<PLAN>", "the new plan")
  onAccount(
    "grant",
    "Add bonus credits, which do not expire.",
    (accounts, id, credits) => accounts.grant(id, Number(credits)),
    "500",
  ).argument("<CREDITS>", "how many", toPositiveInteger)
  onAccount(
    "renew",
    "Start a new credit month with zero usage. For an account whose month lies in the future because a clock was ahead.",
    (accounts, id) => accounts.renew(id),
  ).summary("Start a new credit month with zero usage.")
  addSetWebhook(group, parts)
  onAccount("close", "Close an account for good. Its keys stop working at once.", (accounts, id) =>
    accounts.closeAccount(id),
  )
}

function toRow({ id, name, plan, createdMs, closedMs }: AccountRecord): Row {
  return { id, name, plan, created: toIso(createdMs), closed: toIso(closedMs) }
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
