import { Command } from "commander"
import { ConfigError } from "../../config/config-error.ts"
import type { Config } from "../../config/load.ts"
import { type OptionKey, options } from "../../config/options.ts"
import { requireFreePort } from "./free-port.ts"
import type { CliParts } from "./parts.ts"
import { addSettings, readSettings } from "./settings.ts"
import { supervise } from "./supervisor.ts"

export function serveCommand(parts: CliParts): Command {
  const { terminal, env, stopRequested, onReload } = parts
  const command = new Command("serve")
    .description("Run the service.")
    .option("--demo", "on an empty data file, make an account and a key and print a call to paste")
    .option("--json", "print events as JSON lines")
  addSettings(command, Object.keys(options) as OptionKey[])

  return command.action(async () => {
    const { json, demo } = command.opts<{ json?: boolean; demo?: boolean }>()
    const config = readSettings(command, env)
    const service = config.workers > 1 ? await startWorkers(config, parts) : await startHere(config, parts)
    // Only once it listens: a key that is made before a start that fails would never be shown.
    const key = demo ? await createDemoKey(config, parts) : null
    const stopped = stopRequested()
    // Without a certificate there is nothing to reload, and SIGHUP ends the process, as it does when its terminal closes.
    if (config.tlsCert !== null) onReload(service.reload)
    const event = (fields: object) => terminal.out(`${JSON.stringify(fields)}\n`)
    if (json) {
      event({ event: "listening", url: service.url, pid: process.pid })
      if (key) event({ event: "demo-key", key })
    } else {
      terminal.out(`penknife listening on ${service.url}\n`)
      if (key) terminal.out(demoText(service.url, key))
    }
    await stopped
    await service.stop()
  })
}

interface Running {
  readonly url: string
  readonly reload: () => void
  stop(): Promise<void>
}

async function startHere(config: Config, { startService, isWorker }: CliParts): Promise<Running> {
  // With a certificate the port is one that may be shared, since a renewed one gets a listener of its own beside the old.
  if (config.tlsCert !== null && !isWorker && config.port !== 0) requireFreePort(config.host, config.port)
  const service = await startService(config, { sharedPort: isWorker })
  return {
    url: service.server.url,
    reload: () => void service.reloadCertificate(),
    stop: () => service.stop(),
  }
}

/** One port shared by several processes on one data file. Only Linux spreads connections over them. */
async function startWorkers(
  config: Config,
  { checkConfig, spawnWorker, clock, terminal }: CliParts,
): Promise<Running> {
  if (process.platform !== "linux")
    throw new ConfigError("--workers over 1 needs Linux, which shares a port evenly.")
  // Said here and once; each worker would say it, and end as if it had crashed.
  await checkConfig(config)
  // A port that the system picks is nobody's, shared or not, and the first worker takes it as it is picked.
  if (config.port !== 0) requireFreePort(config.host, config.port)
  const report = (message: string) => terminal.err(`penknife: ${message}\n`)
  return supervise(config.workers, { spawn: spawnWorker, clock, report })
}

/** A first account and key for a data file that has none; null where there are accounts already. */
async function createDemoKey(config: Config, { openAccounts }: CliParts): Promise<string | null> {
  const { accounts, close } = openAccounts(config, { create: true })
  try {
    if ((await accounts.list()).length > 0) return null
    const { id } = await accounts.create("demo", "pro")
    return (await accounts.createKey({ accountId: id, name: "demo" })).key
  } finally {
    await close()
  }
}

function demoText(url: string, key: string): string {
  return `
A first account and key were made. The key is shown this once:

  ${key}

Try it:

  curl -H 'x-api-key: ${key}' '${url}/v1/bluetoothlookup?companyid=76'

`
}
