/** The ports of an instance, all of which the seed decides. */
import type { Clock, Ports, Timer } from "../../src/apis/contract.ts"
import type { Log } from "../../src/ports/log.ts"
import type { MailSender } from "../../src/ports/mail-sender.ts"
import type { WebhookSender } from "../../src/ports/webhook-sender.ts"
import type { Instance } from "./instance.ts"
import { createRng } from "./kernel.ts"
import type { World } from "./world.ts"

const sendFailsChance = 0.2
const slowestSendMs = 300

/** Clock, timer and randomness of an instance. */
export function createPorts({ kernel, seed }: World, instance: Instance) {
  let monotonicMs = 0
  let coming: Promise<void> | null = null
  const clock: Clock = {
    now: () => Math.floor(kernel.now()) + instance.skewMs,
    /** It sometimes jumps, so that work gives way. */
    monotonicMs() {
      const jumpMs = kernel.fault(0.2) ? kernel.rng.int(8) : 0
      monotonicMs = Math.max(monotonicMs + jumpMs, kernel.now() - kernel.startMs)
      return monotonicMs
    },
  }
  const timer: Timer = {
    after: (ms, run) => kernel.later(instance, "timer", Math.max(1, ms), run),
    turn() {
      coming ??= kernel.point(instance, "turn").then(() => {
        coming = null
      })
      return coming
    },
  }
  return { clock, timer, random: createRng(Math.imul(seed, 31) + instance.start) } as unknown as Ports
}

/** A clock and a timer for charges, which keep what the clock said since the first charge of the batch that is gathered. */
export function createReadings({ clock, timer }: Pick<Ports, "clock" | "timer">) {
  let times: number[] = []
  let coming: Promise<void> | null = null
  return {
    taken: () => times,
    clock: {
      ...clock,
      now() {
        const nowMs = clock.now()
        times.push(nowMs)
        return nowMs
      },
    },
    timer: {
      ...timer,
      turn() {
        const turn = timer.turn()
        // All who wait for a turn share it, and the first of them may be the one that charges.
        if (turn !== coming) times = times.slice(-1)
        coming = turn
        return turn
      },
    },
  }
}

/** A log that is read for errors of the program itself. */
export const createLog = (world: World): Log => ({
  debug() {},
  info() {},
  warn() {},
  error(message, { cause = "" }) {
    const text = String(cause)
    if (message === "internal" || /TypeError|ReferenceError|RangeError|must (?:be|return|decide)/.test(text))
      world.fail(`log: ${message}: ${text.slice(0, 600)}`)
  },
})

/** Receivers of webhooks. Some do not answer. */
export function createReceiver(world: World, instance: Instance): WebhookSender {
  const { kernel } = world
  return {
    async send({ headers }) {
      const id = headers["webhook-id"] ?? ""
      await kernel.point(instance, `send ${id}`, 1 + kernel.rng.int(slowestSendMs))
      if (kernel.fault(sendFailsChance)) return { error: "simulated: no answer" }
      world.sent.set(id, (world.sent.get(id) ?? 0) + 1)
      // It may have got the notice, and its answer is lost.
      if (kernel.fault(sendFailsChance / 4)) return { error: "simulated: the connection broke" }
      return { status: 200, retryAfter: null }
    },
  }
}

/** A mail server. */
export function createMailServer(world: World, instance: Instance): MailSender {
  const { kernel } = world
  return {
    async send({ to, message }) {
      await kernel.point(instance, `mail to ${to}`, 1 + kernel.rng.int(slowestSendMs))
      if (kernel.fault(sendFailsChance)) return { kind: "retry", status: 421, error: "simulated: later" }
      const text = message.toString("utf8")
      const id = /^Message-ID: <([^@>]*)/im.exec(text)?.[1] ?? ""
      world.sent.set(id, (world.sent.get(id) ?? 0) + 1)
      world.mailboxes.set(to, [...(world.mailboxes.get(to) ?? []), linkIn(text)])
      if (kernel.fault(sendFailsChance / 4))
        return { kind: "retry", status: null, error: "simulated: no end" }
      return { kind: "accepted", status: 250, error: null }
    },
  }
}

/** The token of the link in a mail; empty without one. */
function linkIn(message: string): string {
  const text = message.replace(/=\r?\n/g, "").replaceAll("=3D", "=")
  return /#sign-(?:up|in)=(pkl-\w+)/.exec(text)?.[1] ?? ""
}
