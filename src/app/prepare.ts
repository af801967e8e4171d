import { readFileSync } from "node:fs"
import { createCatalog } from "../apis/catalog.ts"
import { type ApiDefinition, type Example, type Ports, unavailable } from "../apis/contract.ts"
import { withAuthserv } from "../apis/messageauth/authserv.ts"
import { messageauth } from "../apis/messageauth/index.ts"
import { sunsetsOf } from "../call/admission.ts"
import { type LocalCalls, prepareApi } from "../call/prepared-api.ts"
import type { Config } from "../config/load.ts"
import { ConfigError, requireAll, settingOfFile } from "../config/setting-name.ts"
import { createThreadTime } from "../plugins/thread-time.ts"
import { systemClock } from "../ports/clock.ts"
import { keepAliveTimer } from "../ports/timer.ts"
import type { TrustedNames } from "../surfaces/http/mcp.ts"
import { madeWhenRead } from "../values/frozen.ts"
import { isLoopback } from "../values/ip.ts"
import { nearestFirst } from "../values/nearest.ts"
import { createLazyThreads, type LazyThreads } from "./lazy-threads.ts"
import { livePorts } from "./live-ports.ts"
import { loadOwnApis, type OwnApis } from "./own-apis.ts"
import { guestApis, listsOf, servedOf } from "./served-apis.ts"

const note = "Example data; your call asks the real DNS."

/** The names that the examples' fixtures invent are below these, which nobody can register (RFC 2606 §2). */
const inventedName = /(?<![\w*-])(?:[\w*-]+\.)*[a-z\d-]+\.(?:example|test)(?![\w-]|\.[a-z\d])/gi

/**
 * An API as a service with the real DNS documents it. In its examples, `domain` stands for the domain that the call is about, and
 * reserved names (RFC 2606 §3) for others of the test double. Parameters that are good for the test double alone are left out.
 * @param domain such as `example.com`
 */
export function withServedExamples(api: ApiDefinition, domain: string): ApiDefinition {
  if (!api.asksDns && !api.asksWeb) return api
  return madeWhenRead(api, "examples", () => {
    const told = JSON.stringify(api.examples.map(({ given, input }) => [given, input]))
    const zones = new Set(told.match(inventedName)?.map((name) => lastLabels(name, 2)))
    return api.examples.map((example) => toServed(example, zones, domain))
  })
}

/** Names that are only in the answer, as those in a packed report, stay as they are. */
function toServed(example: Example, zones: ReadonlySet<string>, domain: string): Example {
  const { given = {}, input, output, ...rest } = example
  const sent = Object.fromEntries(Object.entries(input).filter(([name]) => !given.parameters?.includes(name)))
  const [first = ""] = JSON.stringify([sent, output]).match(inventedName) ?? []
  const subject = given.domain ?? lastLabels(first, 2)
  const depth = subject.split(".").length
  const stands = new Map([[subject, domain]])
  const rename = (name: string) => {
    if (!zones.has(lastLabels(name, 2))) return name
    const zone = lastLabels(name, depth)
    const other =
      stands.get(zone) ?? ["example.net", "example.org"][stands.size - 1] ?? `${stands.size}.example.org`
    stands.set(zone, other)
    return name.slice(0, -zone.length) + other
  }
  const renamed = <T>(value: T): T =>
    JSON.parse(JSON.stringify(value), (_, part) =>
      typeof part === "string" ? part.replaceAll(inventedName, rename) : part,
    )
  return { ...rest, input: renamed(sent), output: renamed(output), note }
}

function lastLabels(name: string, count: number): string {
  return name.toLowerCase().split(".").slice(-count).join(".")
}

type Anchors = NonNullable<Parameters<typeof createCatalog>[1]>

/** The APIs with the embedded data. */
export const catalog: readonly ApiDefinition[] = createCatalog()

export const catalogIds: readonly string[] = catalog.map(({ id }) => id)

/**
 * The APIs that a configuration serves, of the catalog and the operator's own, with its prices and data files, compiled.
 * @param anchors the test double's keys of the root, for its examples; a service has those of the root of the Internet, and other
 * examples
 * @throws ConfigError
 */
export async function prepareApis(
  config: Config,
  ownApis: Pick<OwnApis, "definitions"> = { definitions: () => [] },
  threads: LazyThreads = createLazyThreads(systemClock, keepAliveTimer, createThreadTime(systemClock)),
  anchors?: Anchors,
) {
  const definitions = [
    ...(await catalogFor(config, anchors)).map((api) => {
      const named = withHost(threads.isolate(api, config), config)
      return anchors ? named : withServedExamples(named, config.exampleDomain)
    }),
    ...ownApis.definitions(config),
  ]
  const ids = definitions.map(({ id }) => id)
  await requireAll([
    () => requirePriced(config, ids),
    () => servedOf(definitions, config),
    () => requireForGuests(config, definitions),
  ])
  return servedOf(definitions, config).map((definition) =>
    prepareApi(definition, config.credits.get(definition.id)),
  )
}

/** An answer for others' mails names the service by its public address. */
function withHost(api: ApiDefinition, { publicUrl }: Config): ApiDefinition {
  if (api.id !== messageauth.id || publicUrl === null) return api
  return withAuthserv(api, new URL(publicUrl).hostname)
}

function requirePriced({ credits }: Config, ids: readonly string[]): void {
  const mistakes = [...credits.keys()]
    .filter((id) => !ids.includes(id))
    .map(
      (id) => `'credits.${id}': there is no API '${id}'. The APIs are ${nearestFirst(id, ids).join(", ")}.`,
    )
  if (mistakes.length > 0) throw new ConfigError(mistakes.join("\n"))
}

/** With a mistake in the choice of APIs, those of guests are looked for among all. */
function requireForGuests(config: Config, definitions: readonly ApiDefinition[]): void {
  let served = definitions
  try {
    served = servedOf(definitions, config)
  } catch {}
  guestApis(config, served, catalogIds)
}

async function catalogFor(config: Config, anchors: Anchors | undefined): Promise<readonly ApiDefinition[]> {
  const { data, dnssecAnchor } = config
  if (data === null && dnssecAnchor === null) return anchors ? createCatalog({}, anchors) : catalog
  // Loaded only here: most services have no lists and no root of their own.
  const { readDataLists, readAnchorFile } = await import("./data-lists.ts")
  return createCatalog(
    data === null ? {} : (await readDataLists(data, settingOfFile(config, "data", data))).data,
    dnssecAnchor === null
      ? anchors
      : readAnchorFile(dnssecAnchor, settingOfFile(config, "dnssecAnchor", dnssecAnchor)),
  )
}

/** For `penknife data check`: each list that a service with this folder would use. Built-in ones have no file. */
export async function checkData(directory: string) {
  const { readDataLists } = await import("./data-lists.ts")
  const { data, files } = await readDataLists(directory)
  return listsOf(createCatalog(data)).map(({ name, date, version = date }) => ({
    list: name,
    file: files.get(name) ?? null,
    date: version,
  }))
}

/** The checks of the lists and the trust anchors that a configuration names. */
export function requireData({ data, dnssecAnchor, ...rest }: Config): readonly (() => unknown)[] {
  const none = { ...rest, data: null, dnssecAnchor: null }
  return [
    () => catalogFor({ ...none, data }, undefined),
    () => catalogFor({ ...none, dnssecAnchor }, undefined),
  ]
}

/** The checks of a certificate and of its key. */
export function requireTls(config: Config): readonly (() => unknown)[] {
  return [() => readPem(config, "tlsCert", "CERTIFICATE"), () => readPem(config, "tlsKey", "PRIVATE KEY")]
}

/** The certificate and its key. Read before anything is opened, so that a mistake names its setting. */
export function readTls(config: Config): { cert: string; key: string } | null {
  const cert = readPem(config, "tlsCert", "CERTIFICATE")
  const key = readPem(config, "tlsKey", "PRIVATE KEY")
  return cert === null || key === null ? null : { cert, key }
}

/** The names under which agents may reach the service; null when MCP is turned off. */
export function mcpNames({ noMcp, host, publicUrl }: Config): TrustedNames | null {
  if (noMcp) return null
  return { loopbackOnly: isLoopback(host), publicHost: publicUrl === null ? null : new URL(publicUrl).host }
}

function readPem(config: Config, setting: "tlsCert" | "tlsKey", label: string): string | null {
  const file = config[setting]
  if (file === null) return null
  const place = settingOfFile(config, setting, file)
  let text: string
  try {
    text = readFileSync(file, "utf8")
  } catch {
    throw new ConfigError(`${place} cannot be read.`)
  }
  if (text.includes(`${label}-----`)) return text
  throw new ConfigError(`${place} holds no PEM ${label.toLowerCase()}.`)
}

/**
 * The catalog and the operator's own APIs for a command. Its process ends with it, and so do the threads.
 * @param say gets the console output of own APIs: standard output is for the result
 * @returns the APIs, and own ones that cannot be used, with the change that each needs
 * @throws ConfigError
 */
export async function loadApis(config: Config, say?: (text: string) => void) {
  const own = await loadForCommand(config, say)
  return { apis: await prepareApis(config, own), problems: own.problems, end: own.end }
}

/** The checks of the choice of APIs and of their prices, and of own APIs. */
export async function requireApis(config: Config) {
  const own = await loadForCommand(config)
  own.end()
  const { problems } = own
  return {
    choice: () => prepareApis({ ...config, data: null, dnssecAnchor: null }, own),
    own() {
      if (problems.length > 0) throw new ConfigError(problems.map(({ problem }) => problem).join("\n"))
    },
  }
}

function loadForCommand(config: Config, say = (_: string) => {}): Promise<OwnApis> {
  return loadOwnApis(config, {
    clock: systemClock,
    timer: keepAliveTimer,
    time: createThreadTime(systemClock),
    // A command runs one call, whose faults it prints.
    log: { error() {}, debug: (_, { text }) => say(String(text)) },
    taken: catalogIds,
  })
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
