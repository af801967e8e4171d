import { readFileSync, writeFileSync } from "node:fs"
import { AccountError } from "../accounts/requirements.ts"
import { noBackups } from "../admin/backups/backups.ts"
import { ConfigRefused } from "../admin/config/config-control.ts"
import { createProgramRun } from "../admin/program-run.ts"
import { createUnsubscribes } from "../admin/unsubscribe.ts"
import { type DnsZone, InputRejected, type WebFixture } from "../apis/contract.ts"
import { exampleAnchor } from "../apis/mail/dnssec/example-zone.ts"
import { readAnchors } from "../apis/mail/dnssec/root-anchors.ts"
import { createAdmission, sunsetsOf } from "../call/admission.ts"
import { createCharges } from "../call/charges.ts"
import { Fault } from "../call/fault.ts"
import { createLiveAccounts } from "../call/live-account.ts"
import type { PreparedApi } from "../call/prepared-api.ts"
import { createScheduler } from "../call/scheduler.ts"
import { createUnsentAnswers } from "../call/unsent.ts"
import type { Config } from "../config/load.ts"
import { ConfigError, settingName, settingOfFile } from "../config/setting-name.ts"
import { nameAdminKey, nameSignIns } from "../mock/admin-key.ts"
import zone from "../mock/dns-zone.yaml"
import { createFaults } from "../mock/faults.ts"
import { createJournal, createJournalRoom } from "../mock/journal.ts"
import { defaultKey, nameKeys, withoutAnswerFor } from "../mock/keys.ts"
import { injectAtApi } from "../mock/request-effects.ts"
import type { MockState } from "../mock/state.ts"
import { createStubs } from "../mock/stubs.ts"
import webFixture from "../mock/web-replies.yaml"
import { mockWebhookOf } from "../mock/webhook-secret.ts"
import { createThreadTime } from "../plugins/thread-time.ts"
import { systemClock } from "../ports/clock.ts"
import type { LogOutput } from "../ports/log-output.ts"
import type { MailSender } from "../ports/mail-sender.ts"
import { createMockClock, prepareMockDns, prepareMockWeb } from "../ports/mock-ports.ts"
import { createSeededRandom } from "../ports/random.ts"
import { systemTimer } from "../ports/timer.ts"
import { createSelfSigned } from "../ports/tls/self-signed.ts"
import { webOff } from "../ports/web/fixed-web.ts"
import { createCleaner } from "../retention/cleaner.ts"
import type { History } from "../store/history.ts"
import { type Serving, startMockServer } from "../surfaces/http/mock/mock-server.ts"
import { messageOf } from "../values/message-of.ts"
import { once } from "../values/once.ts"
import { override } from "../values/stand-in.ts"
import { createEventCheck } from "../webhooks/event-check.ts"
import { createAdminAccess, runningOf } from "./admin-parts.ts"
import { httpSettings } from "./generation.ts"
import { createLazyThreads } from "./lazy-threads.ts"
import { mailBrandOf } from "./mails.ts"
import { createMockDeliveries } from "./mock-deliveries.ts"
import { createMockMails, mockMailSender } from "./mock-mails.ts"
import type { Seed } from "./mock-seed.ts"
import { openStart, openStore } from "./mock-start.ts"
import { createObservability, type OpenLog, openLog } from "./observability.ts"
import { loadOwnApis } from "./own-apis.ts"
import { pageAddresses } from "./page-addresses.ts"
import { catalogIds, prepareApis } from "./prepare.ts"
import { commit, version } from "./version.ts"

/** The DNS of a mock without `--dns`; parsed when the program is built. */
export const mockZone: DnsZone = zone

/** The root of the test double's DNS, which `--dns` and `/_mock/dns` can replace: unsigned names have a proof that they are. */
const rootZone: DnsZone = Object.fromEntries([".", "*"].map((name) => [name, mockZone[name] ?? []]))

/** The longest that a stop waits for calls in progress: tests do not need their answers. */
const stopGraceMs = 1_000

const fixedConfig =
  "The configuration was not changed. The test double keeps the plans and prices with which it was started: start it with others in a " +
  "file that --config names, or use a service."

/** Tests move the clock back on purpose, so a credit month in the future is not logged. */
const noLog = { error() {} }

const refuseEdit = () => Promise.reject(new ConfigRefused(fixedConfig))

/** Composes the test double: the same pipeline, other ports, a store in memory. Logs to standard error by default. */
export async function startMock(given: Config, { logOutput }: { readonly logOutput?: LogOutput } = {}) {
  const tls = given.tlsSelfSigned.length > 0 ? await certify(given) : null
  // By default only errors are logged: the log appears in the output of someone's tests.
  const opened = await openLog(given, { clock: systemClock }, { defaultLevel: "error", output: logOutput })
  const time = createThreadTime(systemClock)
  const ownParts = { clock: systemClock, timer: systemTimer, time, log: opened.log, taken: catalogIds }
  const ownApis = await loadOwnApis(given, ownParts)
  const threads = createLazyThreads(systemClock, systemTimer, time, opened.log)
  const apis = (await prepareApis(given, ownApis, threads, readAnchors(exampleAnchor))).map(injectAtApi)
  // Loaded for a seed alone, since most test doubles have none.
  const reading = given.seedFile === null ? null : await import("./mock-seed.ts")
  const seed = reading && (await reading.readSeed(given, apis))
  const config = { ...given, ...seed?.settings }
  if (!config.plans.has(config.plan)) {
    const plans = [...config.plans.keys()].join(", ")
    throw new ConfigError(`${settingName(config, "plan")} must be one of ${plans}, not '${config.plan}'.`)
  }
  const zone = (await readFixture(config, "dnsFile", parseZone)) ?? seed?.file.dns ?? mockZone
  const replies = (await readFixture(config, "webFile", parseWebFixture)) ?? seed?.file.web ?? webFixture
  const mailSender = mockMailSender(config, systemTimer)
  const journals = createJournalRoom()
  const createDns = prepareMockDns(zone, rootZone)
  const createWeb = prepareMockWeb(replies)
  const seeded = await openStart(runningOf(config, apis), apis, opened.log, seed)
  const working = {
    scheduler: createScheduler({ clock: systemClock, timer: systemTimer }),
    // The mock reads its answers for the journal, so none is unsent.
    unsent: createUnsentAnswers(Number.POSITIVE_INFINITY, () => {}),
    log: opened.log,
  }
  // Loaded only for --like, since it slows the start.
  const like = config.like === null ? undefined : await import("./like.ts")
  const server = await startMockServer(
    {
      createState: (serving) =>
        createState(override(config, { publicUrl: serving.publicUrl }), apis, opened, {
          ...{ ...serving, ...seeded, working, seed, mailSender },
          ...{ dns: createDns(), web: createWeb(), journal: createJournal(journals) },
        }),
      ...{ parseZone, parseWebFixture, program: { version, commit }, timer: systemTimer },
    },
    httpSettings(config, { sharedPort: false, tls, isMock: true }),
  )
  const urls = new Set([config.webhook, ...(seed?.file.accounts ?? []).map((one) => one.webhook ?? null)])
  return {
    ...{ url: server.url, seed: server.seed, warmUp: server.warmUp, key: defaultKey, ca: tls?.ca ?? null },
    webhook: mockWebhookOf(config.webhook),
    unsent: [...urls].flatMap((url) => mockWebhookOf(url) ?? []).filter(({ reason }) => reason !== null),
    differences: await like?.differencesFrom(config, apis, systemTimer),
    async stop() {
      await server.stop(stopGraceMs)
      ownApis.end()
      threads.end()
      await opened.close()
    },
  }
}

type StateParts = Serving &
  Pick<MockState, "dns" | "web" | "journal"> &
  Awaited<ReturnType<typeof openStart>> & {
    readonly seed: Seed | null
    readonly mailSender: MailSender
    readonly working: Pick<MockState["pipeline"], "scheduler" | "unsent" | "log">
  }

/** Makes everything that a reset replaces. */
async function createState(
  config: Config,
  apis: readonly PreparedApi[],
  opened: OpenLog,
  { url, openRequests, dns, web, journal, seed, mailSender, working, ...seeded }: StateParts,
): Promise<MockState> {
  const { plans, seedTimeMs, logLevel } = config
  const { names, adminKey, guests } = seeded
  const runsOn = config.clock === "real"
  const clock = createMockClock(seedTimeMs, runsOn ? systemClock.monotonicMs : undefined)
  // Not that of the seed, which has given ids already. Those of one kind may not change those of another.
  const random = createSeededRandom("calls")
  const auditRandom = createSeededRandom("changes")
  const ports = { clock, random, dns, web: config.noOutbound ? webOff : web, timer: systemTimer }
  const openedStore = seeded.makeStore((database) => openStore(database, clock))
  const { store, outbox } = openedStore
  const pages = pageAddresses({ config: () => config, listening: () => ({ url: url(), adminUrl: url() }) })
  // Some parts are made when they are first used, since few sessions use them: each is a sixth of a state.
  const mailing = once(() => {
    const random = createSeededRandom("mail")
    const unsubscribes = createUnsubscribes({ admin: openedStore.admin, clock, auditRandom, pages, random })
    return { random, unsubscribes, shown: createMockMails(config.smtp !== null) }
  })
  const running = { ...seeded.running, config }
  const { prices } = running
  const timed = { clock, timer: systemTimer, log: opened.log }
  const makeEventCheck = () => createEventCheck({ ...timed, events: openedStore.timedEvents, plans })
  const eventCheck = runsOn ? makeEventCheck() : null
  eventCheck?.start()
  const observed = { opened, ports, store: openedStore, openRequests, unsentBytes: working.unsent.bytes }
  const parts = { ...observed, keeping: () => config, process: "mock", isUntimed: true, version }
  const { observerFor, readMetrics, requests, history, kept, stop } = createObservability(parts, null)
  const adminAccess = once(() => {
    const admin = createAdminAccess(() => running, {
      opened: { ...openedStore, history: afterWriting(openedStore.history, () => history().write()) },
      // The settings of a test double do not change.
      config: { version: () => null, diff: async () => [], reload: async () => [], edit: refuseEdit },
      backups: noBackups("The test double keeps its store in memory, so it has no backups. Use a service."),
      ...{ clock, random, auditRandom, pages, isMock: true, startedMs: seedTimeMs },
      unsubscribes: mailing().unsubscribes,
      ...{ watchRequests: requests.watch, keptRequests: kept() },
    })
    const sessions = nameSignIns(admin.sessions, names)
    return { ...admin, signIn: nameAdminKey(admin.signIn, adminKey), sessions }
  })
  const stubs = createStubs(createSeededRandom)
  const faults = createFaults(createSeededRandom, seed?.file.profiles, seed?.file.profile)
  for (const rule of seed?.file.faults ?? []) faults.put(rule)
  for (const stub of seed?.file.stubs ?? []) stubs.put(stub)
  let delivering: ReturnType<typeof createMockDeliveries> | null = null
  const looks = runsOn || seeded.hasMessages
  function deliveries() {
    if (delivering) return delivering
    const { random, unsubscribes, shown } = mailing()
    delivering = createMockDeliveries({
      ...{ ...timed, outbox, clockRunsOn: runsOn, machineClock: systemClock },
      ...{ signsTimeOf: config.webhookTime, takeFault: faults.takeForWebhook },
      mailing: {
        ...{ mails: openedStore.mails, sender: mailSender, random, shown },
        ...{ brand: () => mailBrandOf(config, pages), unsubscribeLink: unsubscribes.linkFor },
      },
    })
    delivering.start({ looks })
    return delivering
  }
  openedStore.listen({
    onRaised: (raised) => deliveries().raised(raised),
    onMessage() {},
    onConnected() {},
  })
  if (looks) deliveries()
  const seen = withoutAnswerFor(store, names.get("mock-unavailable") ?? "")
  const admission = createAdmission(seen, plans, ports, sunsetsOf(apis.map(({ definition }) => definition)))
  return {
    pipeline: {
      admission: nameKeys(admission, names),
      charges: createCharges(store, admission, ports, noLog, createLiveAccounts(new Map())),
      ...{ ...working, ports },
    },
    apis,
    random,
    guests,
    get admin() {
      return adminAccess()
    },
    observer: observerFor([...prices.keys()], logLevel, logLevel === null ? null : 1),
    readMetrics,
    clock,
    clockRunsOn: runsOn,
    dns,
    web,
    faults,
    stubs,
    journal,
    async setClock(nowMs) {
      // Counts belong to the time before the reset.
      await history().write()
      await deliveries().deliverUntil(nowMs, () => makeEventCheck().run(nowMs), clock.set)
      clock.set(nowMs)
      await history().write()
      await createCleaner({ ...timed, store: openedStore, kept: () => config, share: 1 }).run()
    },
    webhook: mockWebhookOf(config.webhook),
    sendsWebhooks: () => hasLocalWebhook(openedStore),
    notices: () => deliveries().list(),
    mails: () => deliveries().settle().then(mailing().shown.list),
    async resend(list, id) {
      if (list === "mails") await deliveries().resendMail(id)
      else {
        const { resendNotice } = await import("../admin/notices/send-notice.ts")
        await createProgramRun({ ...openedStore, clock, random, auditRandom, plans, prices })(resendNotice, {
          id,
        }).catch(refuseResend)
      }
      const shown = list === "mails" ? mailing().shown.list() : await deliveries().list()
      return shown.find((one) => one.id === id) ?? {}
    },
    async seed() {
      const { writeSeed } = await import("./mock-seed-file.ts")
      const start = { zone: mockZone, replies: webFixture, profiles: seed?.file.profiles }
      return writeSeed({ ...openedStore, clock, plans, names, faults, stubs, dns, web }, start)
    },
    ping: () => store.ping(),
    endWatches: requests.close,
    async close() {
      journal.clear()
      await eventCheck?.stop()
      await delivering?.stop()
      await stop()
      await store.close()
    },
  }
}

async function hasLocalWebhook({ admin, outbox }: Pick<ReturnType<typeof openStore>, "admin" | "outbox">) {
  for (const { id } of await admin.accounts({}, { limit: Number.MAX_SAFE_INTEGER, after: null })) {
    const webhook = await outbox.findWebhook(id)
    if (webhook?.goneMs === null && mockWebhookOf(webhook.url)?.reason === null) return true
  }
  return false
}

function refuseResend(thrown: unknown): never {
  if (!(thrown instanceof AccountError)) throw thrown
  if (thrown.code === "not-found") throw new Fault("notFound", thrown.message)
  throw new InputRejected(
    "id",
    `is of a notice that cannot be sent again. ${thrown.message.replace(/\.$/, "")}`,
  )
}

type FileSetting = "dnsFile" | "webFile"

async function readFixture<T>(config: Config, setting: FileSetting, parse: (text: string) => Promise<T>) {
  const file = config[setting]
  if (file === null) return null
  try {
    return await parse(readFileSync(file, "utf8"))
  } catch (cause) {
    throw new ConfigError(`${settingOfFile(config, setting, file)}: ${messageOf(cause)}.`)
  }
}

/** Loads the YAML reader only for a zone file. */
async function parseZone(text: string): Promise<DnsZone> {
  const zoneFile = await import("../ports/dns/zone-file.ts")
  return zoneFile.parseZone(text)
}

async function parseWebFixture(text: string): Promise<WebFixture> {
  const fixtureFile = await import("../ports/web/fixture-file.ts")
  return fixtureFile.parseWebFixture(text)
}

/** Clients check certificates by the machine's time, not by the mock's clock. */
async function certify(config: Config) {
  const { tlsSelfSigned, caOut } = config
  const certified = await createSelfSigned(tlsSelfSigned, systemClock.now())
  if (caOut !== null) {
    try {
      writeFileSync(caOut, certified.ca)
    } catch (cause) {
      throw new ConfigError(`${settingOfFile(config, "caOut", caOut)}: ${messageOf(cause)}.`)
    }
  }
  return certified
}

/** The history of a stopped clock: nothing writes it each minute, so each read does first. */
function afterWriting(history: History, write: () => Promise<void>): History {
  return override(history, {
    calls: (query) => write().then(() => history.calls(query)),
    faults: (query) => write().then(() => history.faults(query)),
    credits: (query, page) => write().then(() => history.credits(query, page)),
  })
}
