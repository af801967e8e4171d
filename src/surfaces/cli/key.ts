import type { Command } from "commander"
import type { KeyRecord } from "../../store/store.ts"
import { onAccounts } from "./data-file-command.ts"
import { example, printRecord, printRows, type Row, toIso } from "./output.ts"
import type { CliParts } from "./parts.ts"
import { collect, toDurationMs, toInstantMs, toPositiveInteger } from "./values.ts"

/** `key create · list · rotate · revoke`. */
export function addKey(program: Command, parts: CliParts): void {
  const { terminal, clock } = parts
  const group = program
    .command("key")
    .description("Create and manage API keys. A key's text is shown only once, when it is created.")
    .addHelpText("after", example("penknife key list"))

  const create = group
    .command("create")
    .description("Create a key and print it. It is not shown again.")
    .requiredOption("--account <ID>", "the account that pays for its calls")
    .option("--name <NAME>", "the key's name")
    .option("--expires <WHEN>", "when it stops working: 2027-01-31, or 30d from now", (text) =>
      toInstantMs(text, clock.now()),
    )
    .option("--allow-api <API>", "allow only this API; repeatable", collect)
    .option("--block-api <API>", "forbid this API; repeatable", collect)
    .option("--allow-ip <CIDR>", "allow only this network; repeatable", collect)
    .option("--rate-limit <NUMBER>", "calls a minute for this key: 1 to 1000000", toPositiveInteger)
    .addHelpText("after", example("penknife key create --account acc_1234567890abcdef --expires 30d"))
  onAccounts(create, parts, async (accounts, options: CreateOptions & { json?: boolean }) => {
    const { account, json, name, expires, allowApi, blockApi, allowIp, rateLimit } = options
    const lists = { allowApis: allowApi, blockApis: blockApi, allowIps: allowIp }
    const key = { accountId: account, name, expiresMs: expires, ...lists, rateLimit }
    printRecord(terminal, await accounts.createKey(key), json)
  })

  const list = group
    .command("list")
    .description("List keys without their secrets.")
    .option("--account <ID>", "only the keys of this account")
    .addHelpText("after", example("penknife key list"))
  onAccounts(list, parts, async (accounts, { json, account }: { json?: boolean; account?: string }) => {
    const keys = await accounts.listKeys(account)
    printRows(terminal, keys.map(toRow), json, "No keys. Create one with 'key create --account ID'.")
  })

  const rotate = group
    .command("rotate")
    .description("Give a key a new secret and print it. It is not shown again.")
    .argument("<ID>", "the key's id, which starts with key_")
    .option("--grace <TIME>", "how long the old secret still works: 15m, 24h", toDurationMs, 0)
    .addHelpText("after", example("penknife key rotate key_1234567890abcdef --grace 24h"))
  onAccounts(rotate, parts, async (accounts, { json, grace }: { json?: boolean; grace: number }, id = "") =>
    printRecord(terminal, await accounts.rotateKey(id, grace), json),
  )

  const revoke = group
    .command("revoke")
    .description("Revoke a key for good. The next request with it is refused.")
    .argument("<ID>", "the key's id, which starts with key_")
    .addHelpText("after", example("penknife key revoke key_1234567890abcdef"))
  onAccounts(revoke, parts, async (accounts, { json }, id = "") => {
    await accounts.revokeKey(id)
    printRecord(terminal, { id, revoked: true }, json)
  })
}

/** The options of `key create`, as commander names them. */
interface CreateOptions {
  readonly account: string
  readonly name?: string
  readonly rateLimit?: number
  readonly expires?: number
  readonly allowApi?: readonly string[]
  readonly blockApi?: readonly string[]
  readonly allowIp?: readonly string[]
}

function toRow(key: KeyRecord): Row {
  return {
    id: key.id,
    account: key.accountId,
    name: key.name,
    prefix: key.prefix,
    created: toIso(key.createdMs),
    expires: toIso(key.expiresMs),
    revoked: toIso(key.revokedMs),
    allow_apis: key.allowApis,
    block_apis: key.blockApis,
    allow_ips: key.allowIps,
    rate_limit: key.rateLimit,
  }
}
