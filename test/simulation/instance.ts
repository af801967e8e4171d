/** One instance of the service, composed of the real parts below HTTP: it can be killed between any two steps. */
import { Type } from "@sinclair/typebox"
import type { AdminAccess } from "../../src/admin/admin-access.ts"
import { readStatements } from "../../src/admin/statements/make-statement.ts"
import { requireMonth } from "../../src/admin/statements/month.ts"
import { createUnsubscribes } from "../../src/admin/unsubscribe.ts"
import { type ApiDefinition, InputRejected, type Ports } from "../../src/apis/contract.ts"
import { createAdminAccess } from "../../src/app/admin-parts.ts"
import { mailBrandOf } from "../../src/app/mails.ts"
import { createAdmission } from "../../src/call/admission.ts"
import { createCharges } from "../../src/call/charges.ts"
import { createLiveAccounts } from "../../src/call/live-account.ts"
import type { Pipeline } from "../../src/call/pipeline.ts"
import { type PreparedApi, prepareApi } from "../../src/call/prepared-api.ts"
import { createScheduler } from "../../src/call/scheduler.ts"
import { createUnsentAnswers } from "../../src/call/unsent.ts"
import { type Config, loadConfig } from "../../src/config/load.ts"
import { createMailDelivery } from "../../src/mail/deliver-mails.ts"
import { createCleaner } from "../../src/retention/cleaner.ts"
import type { AdminChange } from "../../src/store/admin-store.ts"
import type { OpenStore, StoreListeners } from "../../src/store/store-options.ts"
import { createDelivery } from "../../src/webhooks/deliver.ts"
import { pretendBackups } from "../support/own-command.ts"
import type { Owner } from "./kernel.ts"
import { createLog, createMailServer, createPorts, createReadings, createReceiver } from "./ports.ts"
import { thresholds, type World } from "./world.ts"

const wakeLostChance = 0.25

export interface Instance extends Owner {
  readonly index: number
  /** Which start of an instance it is: no two make the same ids. */
  readonly start: number
  /** How far its clock is ahead of that of the world. */
  skewMs: number
  /** Closes its store at once. */
  close(): void
  /** The change of the administration whose transaction is open. */
  changing: AdminChange | null
  pipeline: Pipeline
  apis: readonly PreparedApi[]
  readonly admin: AdminAccess
  readonly findLive: ReturnType<typeof createLiveAccounts>
  readonly cleaner: ReturnType<typeof createCleaner>
  /** Called when it is killed. */
  readonly onDeath: Set<() => void>
  /** The statements of all accounts for a month. */
  readStatements(month: string): ReturnType<typeof readStatements>
  /** Reads a configuration with other prices. */
  setPrices(more: number): void
}

const plan = { premium: true, signUpBonus: 0, graphqlApis: null, portalKeys: 10, portal: [] }
const offer = { price: null, description: null, highlight: false }
const limits = (monthlyCredits: number, requestsPerMinute: number | null = null) => ({
  ...{ ...plan, ...offer },
  ...{ monthlyCredits, requestsPerMinute },
})
const plans: Config["plans"] = new Map([
  ["small", { name: "small", ...limits(40) }],
  ["middle", { name: "middle", ...limits(90) }],
  ["limited", { name: "limited", ...limits(60, 30) }],
  ["free", { name: "free", ...limits(20), signUpBonus: 5 }],
])

/** A configuration with the plans of the simulation. */
export function configFor(flags: Readonly<Record<string, string>>): Config {
  const all = {
    metricsToken: "quiet",
    signUpMode: "open",
    smtp: "smtp://mail.example",
    mailFrom: "a@example.com",
  }
  return { ...loadConfig({ flags: { ...all, ...flags }, env: {}, file: null }), plans }
}

const config = configFor({ db: ":memory:" })

/** Three APIs: one answers at once, the others after some milliseconds. */
const definitions: readonly ApiDefinition[] = [1, 3, 7].map((credits, index) => {
  const definition: ApiDefinition = {
    ...{ id: `a${index}`, method: "POST", credits, title: "An API", description: "An API.", examples: [] },
    input: Type.Object({
      n: Type.Integer({ description: "A number." }),
      bad: Type.Optional(Type.Boolean({ description: "Whether to fail." })),
    }),
    output: Type.Object({ n: Type.Integer({ description: "The number." }) }),
    run({ n, bad }: { n: number; bad?: boolean }, { ports }: { ports: Pick<Ports, "timer"> }) {
      if (bad) throw new InputRejected("bad", "must not be")
      if (index === 0) return { n }
      return new Promise((resolve) => ports.timer.after(1 + (n % 40), () => resolve({ n })))
    },
  } as never
  return definition
})

const address = () => "https://api.example"
const pages = { service: address, console: address, portal: address }

const brand = mailBrandOf(config, pages)

/** An instance that is being composed. */
export type SimulatedInstance = { -readonly [Name in keyof Instance]: Instance[Name] }

/** An instance that has no parts yet. */
export function createSimulatedInstance(world: World, index: number, skewMs: number): SimulatedInstance {
  const own = {
    isDead: false,
    name: `i${index}`,
    index,
    start: world.starts++,
    skewMs,
    changing: null,
    onDeath: new Set(),
    close() {},
  }
  // Its parts need it, and are its fields.
  return own as unknown as SimulatedInstance
}

/** Starts an instance on the store of a world, unless it runs or is starting. */
export function startInstance(world: World, index: number, skewMs: number): void {
  if (world.starting.has(index) || world.instances[index]?.isDead === false) return
  world.starting.add(index)
  const instance = createSimulatedInstance(world, index, skewMs)
  const ports = createPorts(world, instance)
  const readings = createReadings(ports)
  const notices = { thresholds, now: ports.clock.now }
  const opening = world.open(instance, { ports, notices, readings: readings.taken })
  const use = (opened: OpenStore) => {
    world.starting.delete(index)
    const wake = compose(world, instance, opened, { ports, forCharges: readings })
    opened.listen({
      onRaised(raised) {
        if (world.kernel.fault(wakeLostChance)) world.count("wake lost")
        else wake(raised)
      },
      onMessage() {},
      onConnected() {},
    })
  }
  if (!(opening instanceof Promise)) use(opening)
  else
    opening.then(use, () => {
      world.count("start failed")
      world.starting.delete(index)
      world.kernel.later(null, "start again", 100, () => startInstance(world, index, skewMs))
    })
}

/** Composes an instance on an open store, and starts it. Returns what wakes up its outboxes. */
function compose(
  world: World,
  instance: SimulatedInstance,
  opened: OpenStore,
  { ports, forCharges }: { readonly ports: Ports; readonly forCharges: Pick<Ports, "clock" | "timer"> },
): StoreListeners["onRaised"] {
  const { clock, timer, random } = ports
  const log = createLog(world)
  const { store, outbox, mails, admin } = opened
  const sender = createReceiver(world, instance)
  const delivery = createDelivery({ outbox, sender, clock, random, timer, log })
  const unsubscribes = createUnsubscribes({ admin, clock, pages, random, auditRandom: random })
  instance.admin = createAdminAccess(() => ({ config, prices: new Map(), lists: [] }), {
    ...{ opened, clock, random, pages, backups: pretendBackups(), startedMs: clock.now() },
    watchRequests: () => null,
    unsubscribes,
    config: { version: () => 1, diff: async () => [], reload: async () => [], edit: () => Promise.reject() },
  })
  const mailing = createMailDelivery({
    ...{ mails, sender: createMailServer(world, instance), clock, random, timer, log },
    brand: () => brand,
    unsubscribeLink: unsubscribes.linkFor,
  })
  instance.findLive = createLiveAccounts()
  const scheduler = createScheduler({ clock, timer })
  const unsent = createUnsentAnswers(1e9, () => {})
  instance.setPrices = (more) => {
    instance.apis = definitions.map((definition) => prepareApi(definition, definition.credits + more))
    const admission = createAdmission(store, plans, { clock, timer })
    const charges = createCharges(store, admission, forCharges, log, instance.findLive)
    instance.pipeline = { admission, charges, scheduler, ports, log, unsent }
  }
  instance.setPrices(0)
  instance.cleaner = createCleaner({
    store: opened,
    kept: () => ({ history: 30, keepNotices: 20, keepUsage: 20, keepRequests: 0 }),
    ...{ clock, timer, log, share: 1 },
  })
  instance.readStatements = async (month) => {
    const accounts = await admin.accounts({}, { limit: 1_000, after: null })
    return readStatements(accounts, requireMonth(month), { admin, clock, plans })
  }
  delivery.start()
  mailing.start()
  instance.cleaner.start()
  world.instances[instance.index] = instance
  return (raised) => {
    delivery.raised(raised)
    mailing.wake()
  }
}

/** Ends an instance as `kill -9` does: none of its steps runs any more, and its clients lose their connections. */
export function killInstance(world: World, instance: Instance): void {
  if (instance.isDead) return
  world.kernel.note(`kill ${instance.name}`)
  world.count("kill")
  instance.isDead = true
  instance.close()
  for (const tell of instance.onDeath) tell()
}
