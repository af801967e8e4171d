import type { Database } from "bun:sqlite"
import { afterEach, setSystemTime } from "bun:test"
import { join } from "node:path"
import { Webhook } from "standardwebhooks"
import { createNotices, type Notices, noticeThresholds } from "../../src/accounts/notices.ts"
import { createLog } from "../../src/ports/log.ts"
import { systemRandom } from "../../src/ports/random.ts"
import { systemTimer } from "../../src/ports/timer.ts"
import { createWebhookSender, type WebhookSender } from "../../src/ports/webhook-sender.ts"
import type { NoticeRecord } from "../../src/store/outbox.ts"
import { openDatabase } from "../../src/store/sqlite/open.ts"
import { prepareOutbox } from "../../src/store/sqlite/outbox.ts"
import { prepareRaise } from "../../src/store/sqlite/raise.ts"
import { createSqliteStore } from "../../src/store/sqlite/sqlite-store.ts"
import { createDelivery, type Delivery } from "../../src/webhooks/deliver.ts"
import { createManualClock, type ManualClock } from "./clock.ts"
import { type Received, startReceiver } from "./receiver.ts"
import { tempDir } from "./temp.ts"
import { createManualTimer, type ManualTimer, noWaitTimer } from "./timer.ts"

export const hour = 3_600_000
const start = "2025-01-01T00:00:00Z"
export const periodStartMs = Date.parse(start)

export interface Worker {
  readonly file: string
  readonly database: Database
  readonly notices: Notices
  readonly delivery: Delivery
  readonly timer: ManualTimer
  readonly clock: ManualClock
  /** What was logged, newest last. */
  readonly logged: Record<string, unknown>[]
  /** Uses so much of an account's 1,000 credits. */
  use(accountId: string, used: number, month?: number): readonly NoticeRecord[]
}

/** Workers on data files of the test file's own; closed after each test. */
export function useWorkers() {
  const dir = tempDir()
  let files = 0
  const opened: Database[] = []
  afterEach(() => {
    for (const database of opened.splice(0)) database.close()
  })

  /** One process on a data file. */
  function openWorker(
    file = join(dir, `notices-${files++}.db`),
    clock = createManualClock(start),
    sender: WebhookSender = createWebhookSender({ timer: systemTimer }),
  ): Worker {
    const database = openDatabase(file)
    opened.push(database)
    const outbox = prepareOutbox(database, noWaitTimer)
    const timer = createManualTimer()
    const logged: Record<string, unknown>[] = []
    const log = createLog((line) => logged.push(JSON.parse(line)))
    const raise = prepareRaise(database, { thresholds: noticeThresholds, now: clock.now })
    const delivery = createDelivery({ outbox, sender, clock, random: systemRandom, timer, log })
    return {
      file,
      database,
      notices: createNotices({
        outbox,
        store: createSqliteStore(database, { timer: noWaitTimer }),
        random: systemRandom,
      }),
      delivery,
      timer,
      clock,
      logged,
      use(accountId, used, month = periodStartMs) {
        const entry = { accountId, used, notified: 0, periodStartMs: month }
        const raised = database.transaction(() => raise(entry, 1_000))()
        delivery.raised(raised)
        return raised
      },
    }
  }

  /** A worker, a receiver and an account whose webhook leads there. */
  async function setUp() {
    const receiver = startReceiver()
    const worker = openWorker()
    const account = await createAccount(worker, "acc_1")
    const { secret } = await worker.notices.setWebhook(account, receiver.url, { allowPrivate: false })
    return { ...worker, receiver, account, secret }
  }

  return { openWorker, setUp }
}

export async function createAccount({ database }: Worker, id: string): Promise<string> {
  const account = { id, name: id, plan: "free", createdMs: periodStartMs, closedMs: null, periodStartMs }
  await createSqliteStore(database, { timer: noWaitTimer }).createAccount({ ...account, used: 0, bonus: 0 })
  return id
}

/** Moves the clock from attempt to attempt until nothing waits, or the given instant. */
export async function runUntil({ notices, delivery, clock }: Worker, untilMs = Number.POSITIVE_INFINITY) {
  for (;;) {
    await delivery.runDue()
    const waiting = (await notices.list()).flatMap(({ nextAttemptMs }) => nextAttemptMs ?? [])
    const nextMs = Math.min(...waiting)
    if (nextMs === Number.POSITIVE_INFINITY || nextMs > untilMs) return
    clock.advance(nextMs - clock.now())
  }
}

/** Reads a message as a receiver should: with the library, at the time of its arrival. */
export function verify({ headers, body }: Received, secret: string): unknown {
  setSystemTime(Number(headers["webhook-timestamp"]) * 1_000)
  try {
    return new Webhook(secret).verify(body, headers)
  } finally {
    setSystemTime()
  }
}
