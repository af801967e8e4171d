import type { Database } from "bun:sqlite"
import { afterEach, setSystemTime } from "bun:test"
import { join } from "node:path"
import { Webhook } from "standardwebhooks"
import { noticeThresholds } from "../../src/accounts/credits.ts"
import { createLog } from "../../src/ports/log.ts"
import { systemRandom } from "../../src/ports/random.ts"
import { systemTimer } from "../../src/ports/timer.ts"
import { createWebhookSender, type WebhookSender } from "../../src/ports/webhook-sender.ts"
import { prepareRaise } from "../../src/store/sqlite/charge.ts"
import { openDatabase } from "../../src/store/sqlite/database-file.ts"
import { createSqliteStores } from "../../src/store/sqlite/open-sqlite.ts"
import { prepareOutbox } from "../../src/store/sqlite/sqlite-outbox.ts"
import { createDelivery } from "../../src/webhooks/deliver.ts"
import { createTestNotices, type TestNotices } from "./accounts.ts"
import { type ChangingStore, withChanges } from "./changes.ts"
import { createManualClock, type ManualClock } from "./clock.ts"
import { type Received, startReceiver } from "./receiver.ts"
import { accountOf } from "./store.ts"
import { tempDir } from "./temp.ts"
import { createManualTimer, type ManualTimer, noWaitTimer } from "./timer.ts"

export const hour = 3_600_000
const start = "2025-01-01T00:00:00Z"
export const periodStartMs = Date.parse(start)

export interface Worker {
  readonly file: string
  readonly database: Database
  readonly store: ChangingStore
  readonly notices: TestNotices
  readonly delivery: ReturnType<typeof createDelivery>
  readonly timer: ManualTimer
  readonly clock: ManualClock
  /** Log entries, oldest first. */
  readonly logged: Record<string, unknown>[]
  /** Raises the notices of an account that has used this much of its 1,000 credits. */
  use(accountId: string, used: number, month?: number): void
}

/** Opens workers on data files in a temporary folder. They are closed after each test. */
export function useWorkers() {
  const dir = tempDir()
  let files = 0
  const opened: Database[] = []
  afterEach(() => {
    for (const database of opened.splice(0)) database.close()
  })

  /** Opens a data file as one process would. */
  function openWorker({
    file = join(dir, `notices-${files++}.db`),
    clock = createManualClock(start),
    sender = createWebhookSender({ timer: systemTimer }),
  }: Partial<Pick<Worker, "file" | "clock"> & { sender: WebhookSender }> = {}): Worker {
    const database = openDatabase(file)
    opened.push(database)
    const outbox = prepareOutbox(database, noWaitTimer)
    const { store, admin } = withChanges({ ...createSqliteStores(database, { timer: noWaitTimer }), outbox })
    const timer = createManualTimer()
    const logged: Record<string, unknown>[] = []
    const log = createLog((line) => logged.push(JSON.parse(line)))
    const raise = prepareRaise(database, { thresholds: noticeThresholds, now: clock.now })
    const delivery = createDelivery({ outbox, sender, clock, random: systemRandom, timer, log })
    return {
      file,
      database,
      store,
      notices: createTestNotices({
        ...{ store, admin, outbox, clock },
        ...{ random: systemRandom, auditRandom: systemRandom, plans: new Map(), prices: new Map() },
      }),
      delivery,
      timer,
      clock,
      logged,
      use(accountId, used, month = periodStartMs) {
        const entry = { accountId, used, bonus: 1, notified: 0, periodStartMs: month }
        delivery.raised(database.transaction(() => raise(entry, { allowance: 1_000 }))())
      },
    }
  }

  /** A worker, a receiver, and an account whose webhook is the receiver. */
  async function setUp() {
    const receiver = startReceiver()
    const worker = openWorker()
    const account = "acc_1"
    return { ...worker, receiver, account, secret: await createAccount(worker, account, receiver.url) }
  }

  return { openWorker, setUp }
}

/** Creates an account, and sets its webhook if there is a URL. Returns the webhook's secret. */
export async function createAccount({ store, notices }: Worker, id: string, url?: string): Promise<string> {
  await store.createAccount(accountOf({ id, createdMs: periodStartMs, periodStartMs }))
  return url === undefined ? "" : (await notices.setWebhook(id, url, { allowPrivate: false })).secret
}

/** Moves the clock from attempt to attempt until nothing waits, or until an instant. */
export async function runUntil({ notices, delivery, clock }: Worker, untilMs = Number.POSITIVE_INFINITY) {
  for (;;) {
    await delivery.runDue()
    const nextMs = Math.min(...(await notices.list()).flatMap(({ nextAttemptMs }) => nextAttemptMs ?? []))
    if (nextMs === Number.POSITIVE_INFINITY || nextMs > untilMs) return
    clock.advance(nextMs - clock.now())
  }
}

/** Verifies a message as a receiver should: with the library, at the time of its arrival. */
export function verify({ headers, body }: Received, secret: string): unknown {
  setSystemTime(Number(headers["webhook-timestamp"]) * 1_000)
  try {
    return new Webhook(secret).verify(body, headers)
  } finally {
    setSystemTime()
  }
}
