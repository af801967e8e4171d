/**
 * The start of the real service, from its composition root: other processes raise notices and tell things in each of its steps,
 * its store fails, and it is killed. Then either it serves, or it has closed all that it opened.
 */
import { type Service, startService } from "../../src/app/service.ts"
import type { openStore } from "../../src/store/open.ts"
import type { OpenStore, StoreListeners } from "../../src/store/store-options.ts"
import type { ServiceServer, startHttpServer } from "../../src/surfaces/http/server.ts"
import { messageOf } from "../../src/values/message-of.ts"
import { createMemoryLog } from "../support/log.ts"
import { copyTemplate, removeFile } from "./data-file.ts"
import { openFileStore } from "./file-store.ts"
import { configFor, createSimulatedInstance } from "./instance.ts"
import { createPorts } from "./ports.ts"
import type { RunOptions, RunResult } from "./run.ts"
import { inSteps } from "./run.ts"
import { createWorld } from "./world.ts"

/** A start that needs more steps never ends. */
const mostSteps = 5_000
/** Notices come so many microtasks after the store was opened, at most. */
const mostMicrotasks = 40
/** Starts have few steps, so more of them fail. */
const faults = 3

/** Starts the service once as always: modules that are loaded need no event loop later. */
export async function prepareStarts(file: string): Promise<void> {
  await import("../../src/app/config-peers.ts")
  removeFile(file)
  const { stop } = await startService(startConfig(file), { serve: () => deaf, logOutput: createMemoryLog() })
  await stop({ atOnce: true })
}

const startConfig = (db: string) => configFor({ db, tryCalls: "30", tryPlan: "free" })

/** A server that nobody calls. */
const deaf: ServiceServer = {
  ...{ url: "http://127.0.0.1", adminUrl: null, openRequests: () => 0, prepareApps: () => () => {} },
  ...{ drain: async () => {}, closeBusyConnections: async () => {}, replaceCertificate: async () => {} },
  stop: async () => {},
}

/** Starts and stops the service under a seed. */
export function runStart(seed: number, { template, file, trace }: Omit<RunOptions, "plan">): RunResult {
  copyTemplate(template, file)
  const world = createWorld(seed, file, openFileStore, trace)
  const { kernel } = world
  return inSteps(world, () => {
    kernel.faults = faults * kernel.rng.int(2)
    const instance = createSimulatedInstance(world, 0, 0)
    const ports = createPorts(world, instance)
    const { rng } = kernel
    let closed = 0
    let opened = 0
    let started: Service | null = null
    let refusal: unknown = null

    /** Messages that another process may send at any moment. */
    const tell = (name: string, work: () => void) => {
      kernel.note(`told ${name}`)
      world.count(`told ${name}`)
      try {
        work()
      } catch (thrown) {
        world.fail(`start: ${name} meets what is not there yet: ${messageOf(thrown)}`)
      }
    }

    const open: typeof openStore = async (_db, { notices, serving }) => {
      await kernel.point(instance, "open")
      if (kernel.fault(0.02)) throw new Error("simulated: the store cannot be opened")
      opened++
      const channel = createChannel(tell)
      const raise = () => tell("a notice", () => channel.raise())
      const change = () => tell("a lost file", () => serving?.onChange(null))
      const talk = () => tell("a message", channel.receive)
      const events = [raise, raise, change, talk]
      for (const event of events) {
        // Within the start's own steps, or in a step of its own.
        if (rng.chance(0.5)) void afterMicrotasks(rng.int(mostMicrotasks), event)
        kernel.later(instance, "told", rng.int(3), event)
      }
      const { store, ...others } = openFileStore(
        world,
        instance,
        { ports, notices: notices ?? noNotices, readings: () => [] },
        { instances: channel.instances, listen: channel.listen, isNew: rng.chance(0.5) },
      )
      const close = async () => {
        closed++
        instance.close()
      }
      return { ...others, store: { ...store, close } }
    }

    const serve: typeof startHttpServer = (_parts, { port }) => {
      if (kernel.fault(0.02)) throw new Error(`simulated: the port ${port} is taken`)
      world.count("served")
      return { ...deaf, stop: () => kernel.point(instance, "stop listening") }
    }

    const options = { ports, backgroundTimer: ports.timer, open, serve, logOutput: createMemoryLog() }
    kernel.later(instance, "start", 0, () => {
      startService(startConfig(file), options).then(
        (service) => {
          started = service
        },
        (thrown: unknown) => {
          refusal = thrown ?? new Error("nothing was thrown")
        },
      )
    })
    const killedAt = rng.chance(0.2) ? rng.int(60) : mostSteps
    for (let step = 0; step < killedAt && started === null && refusal === null && kernel.step(); step++);
    if (killedAt < mostSteps && started === null && refusal === null) {
      world.count("killed")
      instance.isDead = true
    } else if (started === null && refusal === null) world.fail("start: it neither serves nor ends")
    else if (refusal !== null) world.count("refused")
    const service: Service | null = started
    if (service) stopAfterAWhile(service)
    if (!instance.isDead && closed !== opened)
      world.fail(`start: ${opened} stores were opened, ${closed} closed`)
    if (!instance.isDead && kernel.waiting(instance, "timer") > 0)
      world.fail(`start: ${kernel.waiting(instance, "timer")} timers are left of a service that has ended`)
    if (opened > closed) instance.close()

    function stopAfterAWhile({ stop }: Service): void {
      const untilMs = kernel.now() + rng.int(5_000)
      for (let step = 0; step < mostSteps && kernel.step(untilMs); step++);
      let isStopped = false
      stop({ atOnce: rng.chance(0.5) }).then(
        () => {
          isStopped = true
        },
        (thrown: unknown) => world.fail(`start: stopping throws ${messageOf(thrown)}`),
      )
      for (let step = 0; step < mostSteps && !isStopped && kernel.step(); step++);
      if (!isStopped) world.fail("start: it does not stop")
      world.count("stopped")
    }
  })
}

const noNotices = { thresholds: [], now: () => 0 }

async function afterMicrotasks(count: number, work: () => void): Promise<void> {
  for (let done = 0; done < count; done++) await undefined
  work()
}

/** The channel to the other processes on a database. It tells things as soon as somebody listens. */
function createChannel(tell: (name: string, work: () => void) => void) {
  let listeners: StoreListeners | null = null
  return {
    raise: () => listeners?.onRaised([]),
    receive: () => listeners?.onMessage("{}"),
    instances: {
      id: "other",
      async send(text: string) {
        tell("its own message", () => listeners?.onMessage(text))
      },
    } satisfies OpenStore["instances"],
    listen(given: StoreListeners) {
      listeners = given
      tell("a connection", given.onConnected)
      tell("a notice at once", () => given.onRaised([]))
      tell("a message at once", () => given.onMessage("{}"))
    },
  }
}
