import { readFileSync } from "node:fs"
import { createCatalog } from "../apis/catalog.ts"
import { type ApiDefinition, type Ports, unavailable } from "../apis/contract.ts"
import { sunsetsOf } from "../call/admission.ts"
import { type LocalCalls, type PreparedApi, prepareApi } from "../call/prepared-api.ts"
import { ConfigError, requireAll } from "../config/config-error.ts"
import type { Config } from "../config/load.ts"
import type { PluginProblem } from "../plugins/load-plugins.ts"
import { systemClock } from "../ports/clock.ts"
import { keepAliveTimer } from "../ports/timer.ts"
import type { TrustedNames } from "../surfaces/http/mcp.ts"
import { isLoopback } from "../values/ip.ts"
import { nearestFirst } from "../values/nearest.ts"
import { createLazyThreads, type LazyThreads } from "./lazy-threads.ts"
import { livePorts } from "./live-ports.ts"
import { createOwnApiVersions } from "./own-apis.ts"
import { listsOf, servedOf } from "./served-apis.ts"

type Anchors = NonNullable<Parameters<typeof createCatalog>[1]>

/** The APIs with the embedded data. */
export const catalog: readonly ApiDefinition[] = createCatalog()

export const catalogIds: readonly string[] = catalog.map(({ id }) => id)

/**
 * The APIs that a configuration serves, of the catalog and the operator's own, with its prices and data files, compiled.
 * @param anchors the keys of the root without `--dnssec-anchor`; those of the root of the Internet by default
 * @throws ConfigError
 */
export async function prepareApis(
  config: Config,
  ownApis: readonly ApiDefinition[] = [],
  threads: LazyThreads = createLazyThreads(systemClock, keepAliveTimer),
  anchors?: Anchors,
) {
  const definitions = [
    ...(await catalogFor(config, anchors)).map((api) => threads.isolate(api, config)),
    ...ownApis,
  ]
  const ids = definitions.map(({ id }) => id)
  await requireAll([() => requirePriced(config, ids), () => servedOf(definitions, config)])
  return servedOf(definitions, config).map((definition) =>
    prepareApi(definition, config.credits.get(definition.id)),
  )
}

function requirePriced({ credits }: Config, ids: readonly string[]): void {
  const mistakes = [...credits.keys()]
    .filter((id) => !ids.includes(id))
    .map(
      (id) => `'credits.${id}': there is no API '${id}'. The APIs are ${nearestFirst(id, ids).join(", ")}.`,
    )
  if (mistakes.length > 0) throw new ConfigError(mistakes.join("\n"))
}

async function catalogFor(
  { data, dnssecAnchor }: Config,
  anchors: Anchors | undefined,
): Promise<readonly ApiDefinition[]> {
  if (data === null && dnssecAnchor === null) return anchors ? createCatalog({}, anchors) : catalog
  // Loaded only here: most services have no lists and no root of their own.
  const { readDataLists, readAnchorFile } = await import("./data-lists.ts")
  return createCatalog(
    data === null ? {} : (await readDataLists(data)).data,
    dnssecAnchor === null ? anchors : readAnchorFile(dnssecAnchor),
  )
}

/** For `penknife data check`: each list that a service with this folder would use. Built-in ones have no file. */
export async function checkData(directory: string) {
  const { readDataLists } = await import("./data-lists.ts")
  const { data, files } = await readDataLists(directory)
  return listsOf(createCatalog(data)).map(({ name, date }) => ({
    list: name,
    file: files.get(name) ?? null,
    date,
  }))
}

/** Checks the keys of another root. */
export async function checkAnchors(file: string): Promise<void> {
  const { readAnchorFile } = await import("./data-lists.ts")
  readAnchorFile(file)
}

/** The checks of a certificate and of its key. */
export function requireTls({ tlsCert, tlsKey }: Config): readonly (() => unknown)[] {
  return [
    ...(tlsCert === null ? [] : [() => readPem("--tls-cert", tlsCert, "CERTIFICATE")]),
    ...(tlsKey === null ? [] : [() => readPem("--tls-key", tlsKey, "PRIVATE KEY")]),
  ]
}

/** The certificate and its key. Read before anything is opened, so that a mistake names its setting. */
export function readTls({ tlsCert, tlsKey }: Config): { cert: string; key: string } | null {
  if (tlsCert === null || tlsKey === null) return null
  const cert = readPem("--tls-cert", tlsCert, "CERTIFICATE")
  const key = readPem("--tls-key", tlsKey, "PRIVATE KEY")
  return { cert, key }
}

/** The names under which agents may reach the service; null when MCP is turned off. */
export function mcpNames({ noMcp, host, publicUrl }: Config): TrustedNames | null {
  if (noMcp) return null
  return { loopbackOnly: isLoopback(host), publicHost: publicUrl === null ? null : new URL(publicUrl).host }
}

function readPem(flag: string, file: string, label: string): string {
  let text: string
  try {
    text = readFileSync(file, "utf8")
  } catch {
    throw new ConfigError(`${flag} ${file} cannot be read.`)
  }
  if (text.includes(`${label}-----`)) return text
  throw new ConfigError(`${flag} ${file} holds no PEM ${label.toLowerCase()}.`)
}

/**
 * The catalog and the operator's own APIs for a command. Its process ends with it, and so do the threads.
 * @param say gets the console output of own APIs: standard output is for the result
 * @throws ConfigError
 */
export async function loadApis(config: Config, say = (_: string) => {}): Promise<LoadedApis> {
  const versions = createOwnApiVersions({
    clock: systemClock,
    timer: keepAliveTimer,
    // A command runs one call, whose faults it prints.
    log: { error() {}, debug: (_, { text }) => say(String(text)) },
    taken: catalogIds,
  })
  const own = await versions.load(config)
  return { apis: await prepareApis(config, own.definitions), problems: own.problems, end: own.end }
}

export interface LoadedApis {
  readonly apis: readonly PreparedApi[]
  /** Own APIs that cannot be used, with the change that each needs. */
  readonly problems: readonly PluginProblem[]
  end(): void
}

/** Runs APIs in this process: no server, no key, no charge, premium fields included. */
export function createLocalCalls(config: Config, ports: Ports = livePorts(config)): LocalCalls {
  // Nothing else runs in the process of a command.
  return async ({ definition, readInput }, input) => {
    const sunset = sunsetsOf([definition]).get(definition.id)
    if (sunset && ports.clock.now() >= sunset.atMs) unavailable(sunset.message, "gone")
    return definition.run(readInput(input), { ports, giveWay() {}, premium: true })
  }
}
