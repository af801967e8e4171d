import type { AdminAccess } from "../admin/admin-access.ts"
import { createAdministration } from "../admin/administration.ts"
import type { Instances, ServiceHealth } from "../admin/health/service-health.ts"
import type { AdminParts } from "../admin/parts.ts"
import { createPasskeys } from "../admin/passkeys/ceremonies.ts"
import { createSessions } from "../admin/sessions/sessions.ts"
import { createSignIn } from "../admin/sign-in.ts"
import type { SignUpSettings } from "../admin/sign-up/settings.ts"
import { createSignUps } from "../admin/sign-up/sign-ups.ts"
import type { Random } from "../apis/contract.ts"
import { builtInDisposable, isDisposable } from "../apis/emailvalidator/disposable.ts"
import type { PreparedApi } from "../call/prepared-api.ts"
import { describeConfig, listSettings } from "../config/describe.ts"
import type { Config } from "../config/load.ts"
import type { MailHealth } from "../mail/deliver-mails.ts"
import { isPostgresUrl } from "../store/open.ts"
import type { OpenStore } from "../store/store-options.ts"
import type { DataList } from "../values/data-list.ts"
import { readDataLists } from "./data-lists.ts"
import { listsOf } from "./served-apis.ts"
import { version } from "./version.ts"

/** The parts that {@link createAdminParts} needs, except the configuration. */
interface AdminPartsOptions
  extends Pick<AdminParts, "clock" | "random" | "backups" | "watchRequests" | "pages" | "config">,
    Pick<ServiceHealth, "startedMs"> {
  readonly opened: Omit<OpenStore, "store">
  /** For the ids of audit records; `random` by default. */
  readonly auditRandom?: Random
  /** How this process sends mail; without it, as in a command, nothing was tried. */
  readonly mailHealth?: () => MailHealth
  /** Whether this is a test double, which keeps mails to be read and limits nobody. */
  readonly isMock?: boolean
  /** The writer of kept requests. Without it, as in a command, those that are in the store are found. */
  readonly keptRequests?: { write(): Promise<void>; dropped(): number }
  /** The processes that work on the same database; null for a data file. */
  readonly instances?: () => Instances | null
}

/** The running configuration. */
export interface RunningConfig {
  readonly config: Config
  /** Ids of the catalog with the credits of a call. */
  readonly prices: ReadonlyMap<string, number>
  readonly lists: readonly DataList[]
}

/** The APIs of a running configuration, and their lists. */
export function runningOf(config: Config, apis: readonly PreparedApi[]): RunningConfig {
  const prices = new Map(apis.map(({ definition, credits }) => [definition.id, credits]))
  return { config, prices, lists: listsOf(apis.map(({ definition }) => definition)) }
}

/** The parts that operations of the administration use, on an open store. */
export function createAdminParts(running: () => RunningConfig, options: AdminPartsOptions): AdminParts {
  const { opened, startedMs, instances = () => null, keptRequests, mailHealth, isMock: _, ...given } = options
  const { admin, outbox, history, requests, gauges } = opened
  return {
    ...{ admin, outbox, history, auditRandom: given.random, ...given },
    requests: {
      get isOn() {
        return keptRequests === undefined || running().config.keepRequests > 0
      },
      async find(filter, page) {
        // Write the requests that still wait in this process.
        await keptRequests?.write()
        return requests.find(filter, page)
      },
    },
    get plans() {
      return running().config.plans
    },
    get prices() {
      return running().prices
    },
    get mayOwe() {
      return running().config.allowDebt
    },
    get webhookPorts() {
      return running().config.webhookPorts
    },
    settings: () => describeConfig(running().config),
    settingList: () => listSettings(running().config),
    get signUp() {
      return signUpSettings(running().config, options)
    },
    async readHealth() {
      const { charges, refusals } = gauges.activity
      const [storeBytes, pendingNotices, pending, signUps] = await Promise.all([
        gauges.bytes(),
        gauges.pendingNotices(),
        gauges.pendingMails(),
        gauges.signUpQuestions(given.clock.now()),
      ])
      const sending = mailHealth?.() ?? { isOn: running().config.smtp !== null, problem: null }
      const mail = { ...sending, pending, signUps }
      const kind = isPostgresUrl(running().config.db) ? "postgresql" : "sqlite"
      const stored = { store: kind, storeBytes, pendingNotices, mail, charges, refusals } as const
      const droppedRequests = keptRequests?.dropped() ?? 0
      return {
        version,
        startedMs,
        ...stored,
        droppedRequests,
        lists: running().lists,
        instances: instances(),
      }
    },
  }
}

/**
 * The parts that the admin API of a running service uses.
 * @param running returns the present configuration. Each operation asks once, when it begins.
 */
export function createAdminAccess(
  running: () => RunningConfig,
  options: AdminPartsOptions & Pick<AdminAccess, "unsubscribes">,
): AdminAccess {
  const { opened, clock, random, auditRandom = random, unsubscribes } = options
  const { admin } = opened
  const signIn = createSignIn(admin, clock)
  // Signing in to the mock must not change the keys that it makes.
  const sessions = createSessions({ admin, clock, random: auditRandom, signIn })
  const parts = createAdminParts(running, options)
  return {
    administration: createAdministration(parts),
    signIn,
    sessions,
    signUps: createSignUps(parts, sessions),
    unsubscribes,
    get plans() {
      return running().config.plans
    },
    passkeys: createPasskeys({ admin, clock, random: auditRandom }),
  }
}

/** The lists of disposable domains, by the configuration that names them. They are read with the first sign-up that needs one. */
const lists = new WeakMap<Config, Promise<typeof builtInDisposable>>()

/** How customers get an account under a configuration. */
export function signUpSettings(
  config: Config,
  { isMock = false }: { readonly isMock?: boolean } = {},
): SignUpSettings {
  const { signUpMode, signUpPlan, signUpTerms, signUpBlockDisposable, signUpBlockDomain } = config
  return {
    mode: signUpMode,
    plan: signUpPlan,
    terms: signUpTerms,
    url: config.signUpUrl,
    contact: config.contact,
    hasMail: isMock || config.smtp !== null,
    isUnlimited: isMock,
    async isBlocked(domain) {
      if (signUpBlockDomain.some((blocked) => domain === blocked || domain.endsWith(`.${blocked}`)))
        return true
      if (!signUpBlockDisposable) return false
      return isDisposable(domain, await lists.getOrInsertComputed(config, readList))
    },
  }
}

async function readList({ data }: Config): Promise<typeof builtInDisposable> {
  if (data === null) return builtInDisposable
  return (await readDataLists(data)).data["disposable-domains"] ?? builtInDisposable
}
