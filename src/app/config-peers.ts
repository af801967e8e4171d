import { type Static, Type } from "@sinclair/typebox"
import { Value } from "@sinclair/typebox/value"
import { LRUCache } from "lru-cache"
import type { DifferingInstance } from "../admin/health/service-health.ts"
import type { Clock, Timer } from "../apis/contract.ts"
import { describeConfig } from "../config/describe.ts"
import type { Log } from "../ports/log.ts"
import type { InstanceChannel } from "../store/open-store.ts"
import type { RunningConfig } from "./admin-parts.ts"
import { versionOf } from "./config-edit.ts"

/** Compares plans and prices with the other processes that work on the same database. */
export type ConfigPeers = ReturnType<typeof createConfigPeers>

interface ConfigPeersParts {
  readonly channel: InstanceChannel
  readonly host: string
  /** The same for all workers of a service. */
  readonly service: string
  readonly clock: Clock
  readonly timer: Timer
  readonly log: Log
  running(): RunningConfig
  /** The version of the configuration file that is on the disk now; null when it cannot be read. */
  versionOnDisk(): number | null
  /** Applies the configuration file; mistakes are logged. */
  reload(): Promise<void>
}

/** A message to the other processes. Every role of the database could send one, so it is only used for comparison. */
const messageSchema = Type.Object({
  id: Type.String({ maxLength: 64 }),
  host: Type.String({ maxLength: 255 }),
  service: Type.String({ maxLength: 300 }),
  /** Fingerprint of plans and prices. */
  fingerprint: Type.String({ maxLength: 64 }),
  /** Fingerprint of the configuration file. */
  version: Type.Union([Type.Integer(), Type.Null()]),
  /** Plans and prices by setting; null when they are too many for a message. */
  values: Type.Union([Type.Record(Type.String(), Type.Unknown()), Type.Null()]),
  /** `begins`: the others answer. `ends`: it is no longer there. */
  state: Type.Union([Type.Literal("begins"), Type.Literal("runs"), Type.Literal("ends")]),
})
type Message = Static<typeof messageSchema>
type Peer = Message & { readonly warned: string | null }

const announceMs = 30_000
/** Two announcements may be lost. */
const silentMs = 100_000
/** PostgreSQL takes 7,999 bytes. */
const maxBytes = 7_500
const maxPeers = 1_000

/** Processes of the same service differ only during a change. */
export function createConfigPeers(parts: ConfigPeersParts) {
  const { channel, clock, timer, log, running, versionOnDisk, reload } = parts
  const peers = new LRUCache<string, Peer>({
    max: maxPeers,
    ttl: silentMs,
    ttlResolution: 0,
    perf: { now: () => clock.monotonicMs() + 1 },
  })
  /** Versions of the file that were read because of another instance: a refused one is not tried again. */
  let tried: number | null = null
  let cancel = () => {}
  let isStopped = false

  function own(state: Message["state"]): Message {
    const values = valuesOf(running())
    const fingerprint = fingerprintOf(values)
    const version = versionOf(running().config)
    const { host, service } = parts
    const message = { id: channel.id, host, service, fingerprint, version, values, state }
    return Buffer.byteLength(JSON.stringify(message)) <= maxBytes ? message : { ...message, values: null }
  }

  /** A message that is lost is made up for by the next one. */
  async function send(state: Message["state"]): Promise<void> {
    try {
      await channel.send(JSON.stringify(own(state)))
    } catch (thrown) {
      log.debug("other instances were not told of plans and prices", { cause: String(thrown) })
    }
  }

  async function receive(text: string): Promise<void> {
    const message = read(text)
    if (message === null || message.id === channel.id || isStopped) return
    if (message.state === "ends") {
      peers.delete(message.id)
      return
    }
    if (message.state === "begins") void send("runs")
    const known = peers.get(message.id)
    peers.set(message.id, { ...message, warned: known?.warned ?? null })
    // They take a changed configuration over together.
    if (message.service === parts.service) return
    if (differs(message) && isFileOf(message)) {
      tried = message.version
      log.info("another instance has the changed configuration file; it is read again", nameOf(message))
      await reload()
    }
    compare(message.id)
    // So that the other one also compares now, not only after the next announcement.
    const isNews = known ? message.fingerprint !== known.fingerprint : differs(message)
    if (isNews && message.state === "runs") await send("runs")
  }

  /** Logs once that another instance has other plans or prices, and once that it no longer has. */
  function compare(id: string): void {
    const peer = peers.get(id)
    if (!peer) return
    const ownFingerprint = fingerprintOf(valuesOf(running()))
    const pair = `${ownFingerprint} ${peer.fingerprint}`
    if (peer.fingerprint === ownFingerprint) {
      if (peer.warned !== null) log.info("plans and prices are those of another instance again", nameOf(peer))
      peers.set(id, { ...peer, warned: null }, { noUpdateTTL: true })
    } else if (peer.warned !== pair) {
      log.warn("plans or prices differ from another instance", {
        ...nameOf(peer),
        settings: settingsOf(peer),
        advice:
          "Each instance charges its own prices. Bring the same configuration file to all instances and reload each.",
      })
      peers.set(id, { ...peer, warned: pair }, { noUpdateTTL: true })
    }
  }

  const differs = (message: Message) => message.fingerprint !== fingerprintOf(valuesOf(running()))
  const isFileOf = ({ version }: Message) =>
    version !== null &&
    version !== versionOf(running().config) &&
    version !== tried &&
    version === versionOnDisk()

  function settingsOf({ values }: Message): readonly string[] | null {
    const mine = valuesOf(running())
    if (values === null) return null
    const names = [...new Set([...Object.keys(mine), ...Object.keys(values)])]
    return names.filter((name) => JSON.stringify(mine[name]) !== JSON.stringify(values[name]))
  }

  function beat(): void {
    cancel = timer.after(announceMs, () => {
      void send("runs")
      beat()
    })
  }

  channel.start({ onMessage: (text) => void receive(text), onConnected: () => void send("begins") })
  beat()
  return {
    /** Sends this process's plans and prices to the others. */
    announce() {
      tried = null
      void send("runs")
    },
    instances() {
      const others = [...peers.values()]
      const differing = others
        .filter(differs)
        .map(
          (peer): DifferingInstance => ({ instance: peer.id, host: peer.host, settings: settingsOf(peer) }),
        )
      return { count: others.length + 1, differing }
    },
    async stop() {
      cancel()
      await send("ends")
      isStopped = true
    },
  }
}

function nameOf({ id, host }: Message) {
  return { instance: id, host }
}

/** Plans and prices by the names of the settings, sorted. A price that is not set is the API's own. */
function valuesOf({ config, prices }: RunningConfig): Readonly<Record<string, unknown>> {
  const { plans } = describeConfig(config)
  const entries = Object.entries(plans as Readonly<Record<string, object>>).flatMap(([plan, fields]) =>
    Object.entries(fields).map(([name, value]): [string, unknown] => [`plans.${plan}.${name}`, value]),
  )
  const credits = [...prices].map(([api, price]): [string, unknown] => [`credits.${api}`, price])
  return Object.fromEntries([...entries, ...credits].sort(([a], [b]) => (a < b ? -1 : 1)))
}

function fingerprintOf(values: Readonly<Record<string, unknown>>): string {
  return new Bun.CryptoHasher("sha256").update(JSON.stringify(values)).digest("hex").slice(0, 16)
}

function read(text: string): Message | null {
  try {
    const message: unknown = JSON.parse(text)
    return Value.Check(messageSchema, message) ? message : null
  } catch {
    // Not a message of penknife: any role of the database may send on the channel.
    return null
  }
}
