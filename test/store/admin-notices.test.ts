/** Promises of the administration of every kind of store about notices. */

import { afterEach, beforeEach, describe, expect, test } from "bun:test"
import { systemTimer } from "../../src/ports/timer.ts"
import type { AdminStore } from "../../src/store/admin-reads.ts"
import type { Mutation } from "../../src/store/admin-store.ts"
import type { OpenStore } from "../../src/store/open-store.ts"
import { accountDetailsOf, changeOf, firstPage, grantOf } from "../support/admin-store.ts"
import { openAnyStore, useStoreKinds } from "../support/any-store.ts"
import { attemptsOf } from "../support/changes.ts"
import { chargeOf } from "../support/store.ts"
import { until } from "../support/until.ts"

const webhook = { url: "https://example.com/hook", secret: "whsec_AAAA", allowPrivate: false }
const anyDue = { leaseMs: 60_000, maxWaitMs: 3_600_000, busyHosts: [], untriedOnly: false }

describe.each(useStoreKinds())("$name", ({ create }) => {
  let opened: OpenStore
  let admin: AdminStore
  let woken = 0

  beforeEach(async () => {
    woken = 0
    opened = await openAnyStore(await create(), () => void woken++)
    admin = opened.admin
    await admin.apply(changeOf([{ kind: "account.insert", account: accountDetailsOf() }]))
  })
  afterEach(() => opened.store.close())
  const apply = (...mutations: Mutation[]) => admin.apply(changeOf(mutations))
  const nowMs = Date.now()
  const notice = (id: string, accountId = "acc_1"): Mutation => {
    return { kind: "notice.insert", id, accountId, type: "key.created", data: '{"key":"key_1"}', nowMs }
  }

  test("a notice of any type is sent to the webhook once, with its data", async () => {
    await apply({ kind: "webhook.set", accountId: "acc_1", webhook })
    expect(await apply(notice("msg_1"), notice("msg_1"))).toBe("applied")
    expect(await apply(notice("msg_1"))).toBe("applied")
    expect(await apply(notice("msg_2", "acc_9"))).toBe("missing")
    expect(await opened.outbox.claim({ ...anyDue, nowMs: nowMs + 1 })).toMatchObject({
      id: "msg_1",
      type: "key.created",
      data: '{"key":"key_1"}',
      threshold: null,
      allowance: null,
      plan: "free",
      webhook,
    })
    expect(await opened.outbox.claim({ ...anyDue, nowMs: nowMs + 1 })).toBeNull()
    expect(await admin.notices({}, firstPage)).toHaveLength(1)
  })

  test("several notices of one account and month do not hinder each other or a threshold's", async () => {
    await apply(notice("msg_1"), notice("msg_2"))
    await opened.store.charge([chargeOf({ credits: 8 })])
    const notices = await admin.notices({}, firstPage)
    expect(notices.map(({ type }) => type).toSorted()).toEqual([
      "credits.threshold_reached",
      "key.created",
      "key.created",
    ])
    expect(notices.find(({ threshold }) => threshold === 80)).toMatchObject({ data: null, allowance: 10 })
  })

  test("without a webhook a notice is not sent, also not again", async () => {
    expect(await apply(notice("msg_1"))).toBe("applied")
    expect(await admin.notices({}, firstPage)).toMatchObject([{ state: "unsent", nextAttemptMs: null }])
    expect(await apply({ kind: "notice.resend", id: "msg_1", nowMs })).toBe("missing")
    await apply({ kind: "webhook.set", accountId: "acc_1", webhook })
    expect(await apply({ kind: "notice.resend", id: "msg_1", nowMs })).toBe("applied")
    expect(await admin.notices({}, firstPage)).toMatchObject([{ state: "pending", nextAttemptMs: nowMs }])
    expect(await apply({ kind: "webhook.set", accountId: "acc_1", webhook: null })).toBe("applied")
    expect(await admin.notices({}, firstPage)).toMatchObject([{ state: "unsent" }])
    expect(await apply({ kind: "webhook.set", accountId: "acc_9", webhook })).toBe("missing")
  })

  test.each(["delivered", "failed"] as const)(
    "a %s notice is sent again, with another attempt",
    async (kind) => {
      await apply({ kind: "webhook.set", accountId: "acc_1", webhook })
      await apply(notice("msg_1"))
      const attempt = { atMs: nowMs, durationMs: 2, status: 500, error: null }
      const claim = () => opened.outbox.claim({ ...anyDue, nowMs: nowMs + 10 })
      const first = await claim()
      if (!first) throw new Error("nothing to claim")
      await opened.outbox.record(first, attempt, { kind })
      expect(await apply({ kind: "notice.resend", id: "msg_1", nowMs })).toBe("applied")
      const second = await claim()
      if (!second) throw new Error("nothing to claim")
      expect(second).toMatchObject({ id: "msg_1", attempts: 1, waitedMs: 0, deliveredMs: null })
      await opened.outbox.record(second, { ...attempt, status: 204 }, { kind: "delivered" })
      expect((await attemptsOf(admin)).map(({ attempt, status }) => [attempt, status])).toEqual([
        [1, 500],
        [2, 204],
      ])
      expect(await apply({ kind: "notice.resend", id: "msg_9", nowMs })).toBe("missing")
    },
  )

  test("sending a pending notice again leaves its lease", async () => {
    await apply({ kind: "webhook.set", accountId: "acc_1", webhook })
    await apply(notice("msg_1"))
    expect(await opened.outbox.claim({ ...anyDue, nowMs: nowMs + 1 })).not.toBeNull()
    expect(await apply({ kind: "notice.resend", id: "msg_1", nowMs: nowMs + 2 })).toBe("applied")
    expect(await opened.outbox.claim({ ...anyDue, nowMs: nowMs + 3 })).toBeNull()
  })

  test("a change without a notice does not wake the delivery, one with a notice does", async () => {
    await apply(grantOf("acc_1", 1, 9))
    await systemTimer.turn()
    expect(woken).toBe(0)
    await apply(notice("msg_1"))
    await until(() => woken > 0)
    expect(woken).toBe(1)
  })
})
