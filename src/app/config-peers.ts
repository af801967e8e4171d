import { type Static, Type } from "@sinclair/typebox"
import { Value } from "@sinclair/typebox/value"
import { LRUCache } from "lru-cache"
import type { DifferingInstance } from "../admin/health/service-health.ts"
import type { Ports } from "../apis/contract.ts"
import { describeConfig } from "../config/describe.ts"
import type { Log } from "../ports/log.ts"
import type { InstanceChannel } from "../store/store-options.ts"
import { parseJson } from "../values/is-object.ts"
import type { RunningConfig } from "./admin-parts.ts"

interface ConfigPeersParts extends Pick<Ports, "clock" | "timer"> {
  readonly channel: InstanceChannel
  readonly host: string
  readonly log: Log
  running(): RunningConfig
}

/** A message to the other processes. Every role of the database could send one, so it is only used for comparison. */
const messageSchema = Type.Object({
  id: Type.String({ maxLength: 64 }),
  host: Type.String({ maxLength: 255 }),
  /** The fingerprint of plans and prices. */
  fingerprint: Type.String({ maxLength: 64 }),
  /** `begins`: the others answer. `ends`: the process stops. */
  state: Type.Union([Type.Literal("begins"), Type.Literal("runs"), Type.Literal("ends")]),
})
type Message = Static<typeof messageSchema>

const announceMs = 30_000
/** Two announcements may be lost. */
const silentMs = 100_000
const maxPeers = 1_000

/**
 * Compares plans and prices with the other processes that work on the same database. Workers differ for moments after a change;
 * instances, each of which reads its own file, until they have the same. Its `on…` functions are for the store.
 */
export function createConfigPeers({ channel, host, clock, timer, log, running }: ConfigPeersParts) {
  const peers = new LRUCache<string, Message>({
    max: maxPeers,
    ttl: silentMs,
    ttlResolution: 0,
    perf: { now: () => clock.monotonicMs() + 1 },
  })
  let cancel = () => {}
  let isStopped = false

  /** A message that is lost is made up for by the next one. Never rejects. */
  async function send(state: Message["state"]): Promise<void> {
    try {
      const message: Message = { id: channel.id, host, fingerprint: fingerprintOf(running()), state }
      await channel.send(JSON.stringify(message))
    } catch (thrown) {
      log.debug("other instances were not told of plans and prices", { cause: String(thrown) })
    }
  }

  function receive(text: string): void {
    const message = read(text)
    if (message === null || message.id === channel.id || isStopped) return
    if (message.state === "ends") peers.delete(message.id)
    else peers.set(message.id, message)
    if (message.state === "begins") void send("runs")
  }

  function beat(): void {
    cancel = timer.after(announceMs, () => {
      void send("runs")
      beat()
    })
  }

  return {
    onMessage: receive,
    onConnected() {
      if (isStopped) return
      void send("begins")
      cancel()
      beat()
    },
    /** Sends this process's plans and prices to the others. */
    announce: () => void send("runs"),
    instances() {
      const others = [...peers.values()]
      const own = fingerprintOf(running())
      const differing = others
        .filter(({ fingerprint }) => fingerprint !== own)
        .map((peer): DifferingInstance => ({ instance: peer.id, host: peer.host }))
      return { count: others.length + 1, differing }
    },
    async stop() {
      isStopped = true
      cancel()
      await send("ends")
    },
  }
}

/** The same for the same plans and prices. A price that is not set is the API's own. */
function fingerprintOf({ config, prices }: RunningConfig): string {
  const { plans } = describeConfig(config)
  const named = Object.entries(plans as Readonly<Record<string, unknown>>)
  const text = JSON.stringify([named, [...prices]].map((entries) => entries.toSorted(byName)))
  return new Bun.CryptoHasher("sha256").update(text).digest("hex").slice(0, 16)
}

function byName([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number {
  return a < b ? -1 : 1
}

/** Null for what is no message of penknife: any role of the database may send on the channel. */
function read(text: string): Message | null {
  const message = parseJson(text)
  return Value.Check(messageSchema, message) ? message : null
}
