import { Command } from "commander"
import type { Accounts } from "../../account/accounts.ts"
import { type OptionKey, options } from "../../config.ts"
import type { CliParts } from "./program.ts"
import { addSettings, readSettings } from "./settings.ts"

export function serveCommand({ terminal, env, startService, stopRequested }: CliParts): Command {
  const command = new Command("serve")
    .description("Run the service.")
    .option("--demo", "on an empty data file, make an account and a key and print a call to paste")
    .option("--json", "print events as JSON lines")
  addSettings(command, Object.keys(options) as OptionKey[])

  return command.action(async () => {
    const { json, demo } = command.opts<{ json?: boolean; demo?: boolean }>()
    const service = await startService(readSettings(command, env))
    const { url } = service.server
    const stopped = stopRequested()
    const key = demo ? await createDemoKey(service.accounts) : null
    const event = (fields: object) => terminal.out(`${JSON.stringify(fields)}\n`)
    if (json) {
      event({ event: "listening", url, pid: process.pid })
      if (key) event({ event: "demo-key", key })
    } else {
      terminal.out(`penknife listening on ${url}\n`)
      if (key) terminal.out(demoText(url, key))
    }
    await stopped
    await service.stop()
  })
}

/** A first account and key for a data file that has none; null where there are accounts already. */
async function createDemoKey(accounts: Accounts): Promise<string | null> {
  if ((await accounts.list()).length > 0) return null
  const { id } = await accounts.create("demo", "pro")
  const { key } = await accounts.createKey({ accountId: id, name: "demo" })
  return key
}

function demoText(url: string, key: string): string {
  return `
A first account and key were made. The key is shown this once:

  ${key}

Try it:

  curl -H 'x-api-key: ${key}' '${url}/v1/bluetoothlookup?companyid=76'

`
}
