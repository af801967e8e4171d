import { Command } from "commander"
import type { NewKey } from "../../accounts/accounts.ts"
import type { KeyRecord } from "../../store/store.ts"
import { administrative } from "./administrative.ts"
import { printRecord, printRows, type Row, toIso } from "./output.ts"
import type { CliParts } from "./parts.ts"
import { collect, toDurationMs, toInstantMs, toPositiveInteger } from "./values.ts"

/** `key create · list · rotate · revoke`. */
export function keyCommand(parts: CliParts): Command {
  const { terminal, clock } = parts
  return new Command("key")
    .description("Make and manage API keys. A key is shown once, when it is made.")
    .addCommand(
      administrative(
        parts,
        new Command("create")
          .description("Make a key and print it, this once.")
          .requiredOption("--account <ID>", "the account it belongs to")
          .option("--name <NAME>", "what to call it")
          .option("--expires <WHEN>", "when it stops: 2027-01-31, or 30d from now", (text) =>
            toInstantMs(text, clock.now()),
          )
          .option("--allow-api <API>", "the only API it may call; repeatable", collect)
          .option("--block-api <API>", "an API it may not call; repeatable", collect)
          .option("--allow-ip <CIDR>", "the only network it may be used from; repeatable", collect)
          .option(
            "--rate-limit <NUMBER>",
            "calls a minute, for this key alone: 1 to 1000000",
            toPositiveInteger,
          ),
        async (accounts, options) => {
          const { account, json, name, expires, allowApi, blockApi, allowIp, rateLimit } = options
          const key = {
            accountId: account,
            ...(name !== undefined && { name }),
            ...(expires !== undefined && { expiresMs: expires }),
            ...(allowApi !== undefined && { allowApis: allowApi }),
            ...(blockApi !== undefined && { blockApis: blockApi }),
            ...(allowIp !== undefined && { allowIps: allowIp }),
            ...(rateLimit !== undefined && { rateLimit }),
          } as NewKey
          printRecord(terminal, { ...(await accounts.createKey(key)) }, json)
        },
      ),
    )
    .addCommand(
      administrative(
        parts,
        new Command("list")
          .description("List keys, without their secrets.")
          .option("--account <ID>", "of one account only"),
        async (accounts, { json, account }) => {
          const keys = await accounts.listKeys(account === undefined ? undefined : String(account))
          printRows(
            terminal,
            keys.map(toRow),
            json,
            "There are no keys; make one with 'key create --account ID'.",
          )
        },
      ),
    )
    .addCommand(
      administrative(
        parts,
        new Command("rotate")
          .description("Give a key a new secret and print it, this once.")
          .argument("<ID>", "the key, by the id that starts with key_")
          .option("--grace <TIME>", "how long the old secret still works: 15m, 24h", toDurationMs, 0),
        async (accounts, { json, grace }, id) =>
          printRecord(terminal, { ...(await accounts.rotateKey(id, Number(grace))) }, json),
      ),
    )
    .addCommand(
      administrative(
        parts,
        new Command("revoke")
          .description("End a key: it stops working with the next request.")
          .argument("<ID>", "the key, by the id that starts with key_"),
        async (accounts, { json }, id) => {
          await accounts.revokeKey(id)
          printRecord(terminal, { id, revoked: true }, json)
        },
      ),
    )
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
