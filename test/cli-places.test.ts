/** Each command prints the same on a data file and on a running service. */
import { expect, test } from "bun:test"
import { join } from "node:path"
import { systemClock } from "../src/ports/clock.ts"
import { piped, runLineJson } from "./support/admin-cli.ts"
import { runCliForTest } from "./support/cli.ts"
import { startTestService } from "./support/service.ts"
import { tempDir } from "./support/temp.ts"

/** Names in braces are ids and texts that earlier commands printed; `< {KEY}` sends one to standard input. */
const script = `
plan list
plan list --json
admin-key list
account create --name Ann --plan pro --external-id cust-1 --metadata {"team":"blue"} --json
account create --name Bob
account create --name Ann --plan gold
account create --name Other --external-id cust-1
account list
account list --json
account list --plan pro --wide
account list --limit 1 --json
account list --search bo --no-closed
account show {ACC} --json
account show acc_9
account rename {ACC} Anna
account set-plan {ACC} starter
account update {ACC} --event key.created --external-id '' --json
account update {ACC}
account grant {ACC} 500
account renew {ACC}
key create --account {ACC} --name ci --allow-api hmac --rate-limit 60 --expires 2099-01-01 --json
key list
key list --account {ACC} --json
key show {KEYID}
key update {KEYID} --name build --allow-ip 10.0.0.0/8 --json
key update {KEYID} --allow-api hmca
key find < {KEY}
key find < pk-nonsense
key rotate {KEYID} --grace 24h --json
key find --json < {KEY}
key disable {KEYID}
key enable {KEYID}
account set-webhook {ACC} http://127.0.0.1:9/hook --json
account webhook {ACC}
account set-webhook {ACC} https://10.0.0.1/hook
account set-webhook {ACC} --off
notices
notices --log --json
key revoke --json < {KEY}
key revoke {KEYID}
admin-key create --name billing --may accounts.read --json
admin-key create --name wrong --may accounts.wirte
account close {ACC}
account close {ACC}
account reopen {ACC} --json
account list --after nonsense
audit --json
audit export
audit export --limit 2
audit
`

test("the same script gives the same output on a data file and on a running service", async () => {
  const lines = script.trim().split("\n")
  const db = join(tempDir(), "file.db")
  await runLineJson(`account create --name first --db ${db}`)
  await runLineJson(`admin-key create --name cli --db ${db}`)
  const onFile = await play(lines, ["--db", db], {})

  const service = await startTestService({ ports: { clock: systemClock } })
  await runLineJson(`account create --name first --db ${service.db}`)
  const { key } = await runLineJson(`admin-key create --name cli --db ${service.db}`)
  const served = await play(lines, [], { PENKNIFE_ADMIN_KEY: key, PENKNIFE_SERVER: service.url })

  for (const [i, line] of lines.entries()) expect({ line, ...served[i] }).toEqual({ line, ...onFile[i] })
  expect(onFile.filter(({ code }) => code === 0).length).toBeGreaterThan(30)
  expect(onFile.filter(({ code }) => code === 1).length).toBeGreaterThan(5)
  expect(service.logged()).not.toContain(key)
}, 300_000)

/** Runs each line in turn, and returns what it printed with ids, times and secrets made equal. */
async function play(lines: readonly string[], flags: readonly string[], env: Record<string, string>) {
  const known = new Map<string, string>()
  const results: { code: number; out: string; err: string }[] = []
  for (const line of lines) {
    const filled = line.replace(/\{([A-Z]+)\}/g, (_, name: string) => known.get(name) ?? "unknown")
    const [command = "", input = ""] = filled.split(" < ")
    const argv = command.split(" ").map((word) => (word === "''" ? "" : word))
    const result = await runCliForTest([...argv, ...flags], { env, standardInput: piped(input) })
    if (line.startsWith("account create") && !known.has("ACC")) known.set("ACC", JSON.parse(result.out).id)
    if (line.startsWith("key create")) {
      const { id, key } = JSON.parse(result.out)
      known.set("KEYID", id).set("KEY", key)
    }
    results.push({ code: result.code, out: mask(result.out), err: mask(result.err) })
  }
  return results
}

/** Ids, times, secrets, and who did it from where. */
const mask = (text: string): string =>
  text
    .replace(/\b(acc|key|adm|adj|aud|msg|req)_\w{16,}/g, "$1_ID")
    .replace(/pka?-[\w-]+/g, "KEY")
    .replace(/whsec_[\w+/=]+/g, "SECRET")
    .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "TIME")
    .replace(/\d{4}-\d\d-\d\d \d\d:\d\d/g, "TIME")
    .replace(/--after \S+/, "--after CURSOR")
    .replace(/^at +actor .*$/gm, "NAMES")
    // Only a service always has its configuration file.
    .replace(
      " A new plan in the service's configuration file is known once the service has read it, or with --config FILE.",
      "",
    )
    .replace(/"(actor|actor_name|source|request_id)":"[^"]*"/g, '"$1":"WHO"')
    .replace(/(cli:\S+|admin-key:\S+) +\S+ +(\w+\.\w+ .*?) +\S+ +(acc_ID|-)$/gm, "WHO $2 WHERE $3")
