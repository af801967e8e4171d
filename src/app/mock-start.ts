import usual from "#mock-start"
import { noticeThresholds } from "../accounts/credits.ts"
import { createProgramAccounts } from "../admin/program-accounts.ts"
import type { Clock } from "../apis/contract.ts"
import type { PreparedApi } from "../call/prepared-api.ts"
import type { Config } from "../config/load.ts"
import { seedAdminKey } from "../mock/admin-key.ts"
import { maxEntries } from "../mock/journal.ts"
import { adminKeyName, seedMagicKeys } from "../mock/keys.ts"
import { mockWebhookOf } from "../mock/webhook-secret.ts"
import type { Log } from "../ports/log.ts"
import { createMockClock } from "../ports/mock-ports.ts"
import { createSeededRandom } from "../ports/random.ts"
import { systemTimer } from "../ports/timer.ts"
import { openDatabase } from "../store/sqlite/database-file.ts"
import { openSqliteStore } from "../store/sqlite/open-sqlite.ts"
import type { RunningConfig } from "./admin-parts.ts"
import { openGuests } from "./guests.ts"
import type { Seed } from "./mock-seed.ts"
import { createMockStores } from "./mock-stores.ts"
import { catalogIds } from "./prepare.ts"

/** The settings that decide what is there at the start. */
const settings = ["plans", "plan", "seedTimeMs", "webhook", "tryCalls", "tryApis", "tryPlan"] as const
type Priced = { readonly config: Pick<Config, (typeof settings)[number]> } & Pick<RunningConfig, "prices">
type Apis = readonly PreparedApi[]

/** A text that is the same for settings and prices that make the same content. */
export function keyOfStart({ config, prices }: Priced): string {
  const values = settings.map((name) => config[name])
  return JSON.stringify([values, prices], (_, value) => (value instanceof Map ? [...value] : value))
}

/** The stores of a test double, which all begin with the same content. The executable holds the usual one: a fifth of a start. */
export async function openStart(running: RunningConfig, apis: Apis, log: Log, seed: Seed | null) {
  const isUsual = seed === null && usual.key === keyOfStart(running)
  const start = isUsual ? unpack(usual) : await makeStart(running, apis, log, seed)
  const shape = openStore(openDatabase(":memory:", start), createMockClock(running.config.seedTimeMs))
  const makeStore = createMockStores(shape, start.image)
  await shape.store.close()
  return { ...start, makeStore, running }
}

function unpack({ image, names, ...rest }: typeof usual) {
  const bytes = Bun.zstdDecompressSync(Buffer.from(image, "base64"))
  return { ...rest, image: bytes, names: new Map(Object.entries<string>(names)), guests: null }
}

export function openStore(database: ReturnType<typeof openDatabase>, clock: Clock) {
  const notices = { thresholds: noticeThresholds, now: clock.now }
  return openSqliteStore(":memory:", { database, timer: systemTimer, notices, mostRequests: maxEntries })
}

/** Makes what is there at the start. */
export async function makeStart({ config, prices }: Priced, apis: Apis, log: Log, seed: Seed | null) {
  const { plans, plan, seedTimeMs } = config
  const clock = createMockClock(seedTimeMs)
  const database = openDatabase(":memory:")
  const openedStore = openStore(database, clock)
  const randoms = { random: createSeededRandom("penknife"), auditRandom: createSeededRandom("audit") }
  const program = { ...openedStore, ...randoms, clock, plans, prices }
  const webhook = mockWebhookOf(config.webhook)
  const names = await seedMagicKeys({
    ...openedStore,
    ...{ accounts: createProgramAccounts(program), plans, clock, plan },
    webhook: webhook && { ...webhook, allowPrivate: false },
    ...(seed && { seed: seed.records }),
  })
  const adminKey = await seedAdminKey(openedStore.admin, clock)
  names.set(adminKeyName, adminKey)
  const definitions = apis.map(({ definition }) => definition)
  const forGuests = { random: createSeededRandom("guests"), log, ownIds: catalogIds }
  const guests = await openGuests(config, definitions, { ...program, ...forGuests })
  await openedStore.timedEvents.keepLookedUntilMs(seedTimeMs)
  const { pendingNotices, pendingMails } = openedStore.gauges
  const hasMessages = (await pendingNotices()) + (await pendingMails()) > 0
  const image: Uint8Array = database.serialize()
  await openedStore.store.close()
  return { image, hasMessages, names, adminKey, guests }
}
