import type { Command } from "commander"
import { ConfigError } from "../../config/config-error.ts"
import type { Config } from "../../config/load.ts"
import { type OptionKey, options } from "../../config/options.ts"
import type { ConfigSource } from "../../config/source.ts"
import { requireFreePort } from "./free-port.ts"
import { example } from "./output.ts"
import type { CliParts } from "./parts.ts"
import { onConfigSource } from "./settings.ts"
import { supervise } from "./supervisor.ts"

type ServeFlags = { readonly json?: boolean; readonly demo?: boolean }

/** `serve`: the service. */
export function addServe(program: Command, parts: CliParts): void {
  const { terminal, stopRequested, onReload } = parts
  const command = program
    .command("serve")
    .description("Run the service.")
    .option("--demo", "if the data file has no account, create one with a key and print an example call")
    .option("--json", "print events as JSON lines")
    .addHelpText("after", example("penknife serve --demo"))

  const keys = Object.keys(options) as OptionKey[]
  onConfigSource(command, keys, parts, async (source, { json, demo }: ServeFlags) => {
    const config = source.read(parts.workerConfig ?? source.readText())
    const service =
      config.workers > 1 ? await startWorkers(config, source, parts) : await startHere(config, source, parts)
    // After the start: the key would never be shown if the start failed.
    const key = demo ? await createDemoKey(config, parts) : null
    const stopped = stopRequested()
    // With nothing to read again SIGHUP keeps its usual effect: it ends the process when the terminal closes.
    if (config.tlsCert !== null || config.file !== null) onReload(service.reload)
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

/** A service in this process, or the supervisor of several. */
interface Running {
  readonly url: string
  readonly reload: () => void
  stop(): Promise<void>
}

async function startHere(
  config: Config,
  configSource: ConfigSource,
  { startService, isWorker }: CliParts,
): Promise<Running> {
  // With a certificate the port is opened for sharing, since a renewed certificate gets a second listener on it.
  if (config.tlsCert !== null && !isWorker) requireFreePorts(config)
  const service = await startService(config, { sharedPort: isWorker, configSource })
  const reload = () => {
    void service.reloadCertificate()
    // The supervisor tells workers when to take the configuration over.
    if (config.file !== null && !isWorker) void service.configuration.reloadLogged()
  }
  return { url: service.server.url, reload, stop: () => service.stop() }
}

/** Starts several processes that share a port and the data file. Only Linux spreads connections over them. */
async function startWorkers(
  config: Config,
  source: ConfigSource,
  { checkConfig, spawnWorker, heartbeatMs, clock, timer, terminal }: CliParts,
): Promise<Running> {
  if (process.platform !== "linux") throw new ConfigError("--workers above 1 works on Linux only.")
  // Report a wrong configuration once; otherwise each worker would report it and be restarted.
  await checkConfig(config)
  const { admin } = config
  if (typeof admin === "object" && admin.port === 0) {
    throw new ConfigError(
      "--admin needs a port other than 0 with --workers above 1, since all of them share it.",
    )
  }
  requireFreePorts(config)
  const report = (message: string) => terminal.err(`penknife: ${message}\n`)
  return supervise(config.workers, { spawn: spawnWorker, source, clock, timer, report, heartbeatMs })
}

/** Checks the ports that several listeners will share. For port 0 the first of them picks a free one. */
function requireFreePorts({ host, port, admin }: Config): void {
  if (port !== 0) requireFreePort(host, port)
  if (typeof admin === "object" && admin.port !== 0) requireFreePort(admin.host, admin.port)
}

/** Creates an account and a key and gives the key; null when the data file already has an account. */
async function createDemoKey(config: Config, { openAccounts }: CliParts): Promise<string | null> {
  const { accounts, close } = await openAccounts(config, { create: true })
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
A first account and key were created. The key is not shown again:

  ${key}

Try it:

  curl -H 'x-api-key: ${key}' '${url}/v1/bluetoothlookup?companyid=76'

`
}
