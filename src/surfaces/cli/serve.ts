import { watch } from "node:fs"
import type { Command } from "commander"
import type { Timer } from "../../apis/contract.ts"
import { keepUntilRestart } from "../../config/describe.ts"
import type { ConfigSource } from "../../config/file.ts"
import type { Config } from "../../config/load.ts"
import { type OptionKey, options } from "../../config/options.ts"
import { ConfigError } from "../../config/setting-name.ts"
import { StoreUnavailable } from "../../store/store.ts"
import { messageOf } from "../../values/message-of.ts"
import { example } from "./output.ts"
import type { CliParts } from "./parts.ts"
import { isChosen, onConfigSource } from "./settings.ts"
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

  // For 'audit prune' alone; `serve` ignores it in the file and the environment.
  const keys = (Object.keys(options) as OptionKey[]).filter((key) => key !== "keepAudit")
  onConfigSource(command, keys, parts, async (source, { json, demo }: ServeFlags) => {
    const { isWorker, workerServes } = parts
    const config = workerServes
      ? keepUntilRestart(source.read(workerServes.first), source.read(workerServes.text))
      : source.read(source.readText())
    const isSupervised = !isWorker && (config.workers > 1 || (config.watch && config.apis !== null))
    const service = await (isSupervised ? startWorkers : startHere)(config, source, parts)
    // After the start: a key that is shown once would be lost if the start failed.
    const key = demo ? await createDemoKey(config, parts) : null
    const showsLink = key !== null || ["debug", "info"].includes(config.logLevel ?? "info")
    const link = parts.isWorker || !showsLink ? null : await firstConsoleLink(config, service, parts)
    const { promise: drainEnds, resolve: endDrain } = Promise.withResolvers<void>()
    const stopped = stopRequested({ onAgain: endDrain })
    const readsFiles =
      config.tlsCert !== null || config.file !== null || (isSupervised && config.apis !== null)
    const nothingToRead = () =>
      terminal.err("penknife: SIGHUP: there is no configuration file and no certificate to read again\n")
    onReload(isWorker || readsFiles ? service.reload : nothingToRead)
    const event = (fields: object) => terminal.out(`${JSON.stringify(fields)}\n`)
    if (json) {
      const listening = { event: "listening", url: service.url, pid: process.pid }
      event(listening)
      if (key) event({ event: "demo-key", key, plan: demoPlan })
      if (key && link) event({ event: "console-link", url: link })
    } else {
      terminal.out(`penknife listening on ${service.url}\n`)
      if (key) terminal.out(demoText(service.url, key, link, config))
    }
    if (link && !key) announceLink(link, config, parts)
    if (!parts.isWorker) parts.tellReady()
    await stopped
    await service.stop({ drainEnds })
  })
}

/** A service in this process, or the supervisor of several. */
interface Running {
  readonly url: string
  readonly adminUrl: string | null
  /** Asks the open store; null if this process has opened none. */
  readonly hasAdmin: (() => Promise<boolean>) | null
  readonly reload: () => void
  stop(options: { readonly drainEnds: Promise<void> }): Promise<void>
}

async function startHere(
  config: Config,
  configSource: ConfigSource,
  { startService, isWorker }: CliParts,
): Promise<Running> {
  // Before a data file is made for a service that cannot start. With a certificate the port is opened for sharing, since a
  // renewed certificate gets a second listener on it.
  if (!isWorker) requireFreePorts(config)
  const service = await startService(config, { sharedPort: isWorker, configSource })
  const reload = () => {
    void service.reloadCertificate()
    // The supervisor tells one of its workers to read the file.
    if (config.file !== null && !isWorker) void service.configuration.reloadLogged()
  }
  const { url, adminUrl } = service.server
  return {
    ...{ url, adminUrl, reload },
    hasAdmin: () => service.hasAdmin(),
    stop: (options) => service.stop(options),
  }
}

/**
 * Starts processes that share a port and the data file, and can be started again one after the other. Only Linux spreads
 * connections over several.
 */
async function startWorkers(
  config: Config,
  source: ConfigSource,
  { checkConfig, spawnWorker, heartbeatMs, clock, timer, terminal }: CliParts,
): Promise<Running> {
  if (process.platform !== "linux" && config.workers > 1)
    throw new ConfigError("--workers above 1 works on Linux only.")
  // Report a wrong configuration once; otherwise each worker would report it and be restarted.
  await checkConfig(config)
  const { admin } = config
  if (typeof admin === "object" && admin.port === 0)
    throw new ConfigError(
      "--admin needs a port other than 0 with --workers above 1 and with --watch, since processes share it.",
    )
  requireFreePorts(config)
  const report = (message: string) => terminal.err(`penknife: ${message}\n`)
  const running = await supervise(config.workers, {
    spawn: spawnWorker,
    text: source.readText(),
    hasOwnApis: config.apis !== null,
    clock,
    timer,
    report,
    heartbeatMs,
    drainMs: config.drainSeconds * 1_000,
  })
  const endWatch =
    config.apis !== null && config.watch
      ? watchFolder(config.apis, { timer, report }, () => {
          report(`files in ${config.apis} have changed: own APIs are loaded again`)
          running.restart()
        })
      : () => {}
  return {
    ...running,
    hasAdmin: null,
    adminUrl: admin === "same" ? running.url : null,
    stop(options) {
      endWatch()
      return running.stop(options)
    },
  }
}

/** Checks the ports that several listeners will share. For port 0 the first of them picks a free one. */
function requireFreePorts({ host, port, admin }: Config): void {
  if (port !== 0) requireFreePort(host, port)
  if (typeof admin === "object" && admin.port !== 0) requireFreePort(admin.host, admin.port)
}

/**
 * Throws an error such as `EADDRINUSE` if another process listens on a port that several workers will share. Without this
 * check, a second service of the same user would take half of the calls.
 */
function requireFreePort(host: string, port: number): void {
  Bun.serve({ hostname: host, port, fetch: () => new Response(null, { status: 503 }) }).stop(true)
}

const demoPlan = "pro"

/** A running service must not end because its store cannot make a link now: a command can make one later. */
async function firstConsoleLink(
  config: Config,
  listening: Running,
  { createFirstConsoleLink, terminal }: CliParts,
): Promise<string | null> {
  try {
    // Most services have an admin key. Opening the store again would make each start longer.
    if (await listening.hasAdmin?.()) return null
    return await createFirstConsoleLink(config, listening)
  } catch (thrown) {
    if (!(thrown instanceof StoreUnavailable)) throw thrown
    terminal.err(
      `penknife: no link to the console was made (${thrown.message}). Run 'penknife console-link'.\n`,
    )
    return null
  }
}

/** A program that reads standard error expects a log of JSON lines. */
function announceLink(url: string, { logFormat }: Config, { terminal, clock }: CliParts): void {
  const asText = logFormat === "pretty" || (logFormat === "auto" && terminal.errIsTerminal)
  const time = new Date(clock.now()).toISOString()
  terminal.err(
    asText
      ? `Nobody can administer this service yet. This link signs in to its console, once, within 30 minutes:\n\n  ${url}\n\n`
      : `${JSON.stringify({ level: "info", time, url, message: "console link" })}\n`,
  )
}

/** Creates an account and a key and returns the key; null when the data file already has an account. */
async function createDemoKey(config: Config, { openAccounts }: CliParts): Promise<string | null> {
  const { accounts, close } = await openAccounts(config, { create: true })
  await using _ = { [Symbol.asyncDispose]: close }
  if (await accounts.hasAny()) return null
  const { id } = await accounts.create("demo", demoPlan)
  return (await accounts.createKey({ accountId: id, name: "demo" })).key
}

function demoText(url: string, key: string, link: string | null, config: Config): string {
  return `
A first account on the plan '${demoPlan}' and a key were created. The key is not shown again:

  ${key}

Try it:

  curl -H 'x-api-key: ${key}' '${url}${isChosen(config) ? "/v1/usage" : "/v1/bluetoothlookup?companyid=76"}'

The documentation of the APIs: ${url}/docs
${link ? `The console, for operators of this service (the link signs in once, within 30 minutes):\n\n  ${link}\n` : ""}
`
}

/** How long no file may change before a change counts: an editor writes a file in several steps. */
const quietMs = 200

/**
 * Calls `onChange` once after files of a folder have changed. Returns the function that ends the watch.
 * @param report tells the operator that the watch ended by itself
 */
function watchFolder(
  folder: string,
  { timer, report }: { readonly timer: Timer; report(message: string): void },
  onChange: () => void,
): () => void {
  let cancel = () => {}
  const watcher = watch(folder, { recursive: true, persistent: false }, () => {
    cancel()
    cancel = timer.after(quietMs, onChange)
  })
  watcher.on("error", (cause) => report(`the folder ${folder} is no longer watched: ${messageOf(cause)}`))
  return () => {
    cancel()
    watcher.close()
  }
}
