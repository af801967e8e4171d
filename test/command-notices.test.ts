/** Commands beside a running service: it learns of their notices and mails from the store, and sends them within a second. */
import { expect, test } from "bun:test"
import { join } from "node:path"
import { createAccount } from "../src/admin/accounts/create-account.ts"
import { testWebhook } from "../src/admin/notices/send-notice.ts"
import { createInvitation } from "../src/admin/sign-up/invitations.ts"
import { setWebhook } from "../src/admin/webhooks/webhook.ts"
import type { Timer } from "../src/apis/contract.ts"
import { openAdministration } from "../src/app/administer.ts"
import { startService } from "../src/app/service.ts"
import { loadConfig } from "../src/config/load.ts"
import { systemTimer } from "../src/ports/timer.ts"
import { openSqliteStore } from "../src/store/sqlite/open-sqlite.ts"
import { accountDetailsOf, changeOf } from "./support/admin-store.ts"
import { useStoreKinds } from "./support/any-store.ts"
import { createMemoryLog } from "./support/log.ts"
import { startMailServer } from "./support/mail-server.ts"
import { startReceiver } from "./support/receiver.ts"
import { chargeOf } from "./support/store.ts"
import { tempDir } from "./support/temp.ts"
import { createManualTimer } from "./support/timer.ts"
import { until } from "./support/until.ts"

const dir = tempDir()
const kinds = useStoreKinds()

/** Waits under a second alone, so that no outbox is read because its time has come. */
const impatientTimer: Timer = {
  after: (delayMs, run) => (delayMs < 1_000 ? systemTimer.after(delayMs, run) : () => {}),
  turn: systemTimer.turn,
}

test.each(kinds.map((kind) => [kind.name, kind] as const))(
  "a notice and a mail of a command are sent by the service on %s",
  async (_, kind) => {
    const receiver = startReceiver()
    const mailServer = await startMailServer({ disabledCommands: ["STARTTLS"] })
    const smtp = `smtp://127.0.0.1:${mailServer.address.port}?starttls=never`
    const values = { sign_up: { mode: "invite", plan: "free" }, smtp, mail_from: "a@acme.example" }
    const config = loadConfig({
      flags: { port: "0", db: await kind.create() },
      env: {},
      file: { name: "test.toml", values },
    })
    const log = createMemoryLog()
    const given = { logOutput: log, backgroundTimer: impatientTimer, databaseLimitMs: 30_000 }
    const service = await startService(config, given)
    const { administration, actor, close } = await openAdministration(config, { create: false })
    const typed = (input: Record<string, unknown>) => ({ kind: "typed", values: input }) as const
    try {
      const made = await administration.run(createAccount, typed({ name: "Ann", plan: "free" }), actor)
      const { id } = made.output as { readonly id: string }
      const hook = { id, url: receiver.url, allow_private: true }
      await administration.run(setWebhook, typed(hook), actor)
      await administration.run(testWebhook, typed({ id }), actor)
      await receiver.count(1)
      await administration.run(createInvitation, typed({ email: "bob@example.com" }), actor)
      await until(() => mailServer.taken.length === 1)
      expect(receiver.received.map(({ body }) => JSON.parse(body).type)).toEqual(["test"])
      expect(mailServer.taken.map(({ to }) => to)).toEqual(["bob@example.com"])
    } finally {
      await close()
      await service.stop({ atOnce: true })
      await mailServer.close()
    }
    expect(log.text()).not.toContain('"level":"error"')
  },
)

test("a data file is looked at twice a second; only what another process has raised and is due wakes the delivery", async () => {
  const file = join(dir, "looks.db")
  let nowMs = 1_000
  const timer = createManualTimer()
  const notices = { thresholds: [80], now: () => nowMs }
  const served = openSqliteStore(file, { timer, notices, serving: { onChange() {} } })
  const told: number[] = []
  const command = openSqliteStore(file, { timer: systemTimer })
  const mail = (id: string) =>
    command.admin.apply(
      changeOf([
        {
          kind: "mail.insert",
          mail: {
            ...{ id, accountId: null, recipient: "ann@example.com", template: "invitation" },
            ...{ data: "{}", nowMs: 2_000, expiresMs: 9_000_000 },
          },
        },
      ]),
    )
  try {
    await command.admin.apply(
      changeOf([{ kind: "account.insert", account: accountDetailsOf({ id: "acc_1" }) }]),
    )
    served.listen({ onRaised: (raised) => void told.push(raised.length), onMessage() {}, onConnected() {} })
    timer.advance(1_000)
    // A change that raises nothing.
    await command.admin.apply(
      changeOf([{ kind: "account.insert", account: accountDetailsOf({ id: "acc_2" }) }]),
    )
    timer.advance(1_000)
    expect(told).toEqual([])

    expect(await mail("mail_1")).toBe("applied")
    timer.advance(500)
    // One that is due later has been tried or is being sent.
    expect(told).toEqual([])
    nowMs = 2_000
    expect(await mail("mail_2")).toBe("applied")
    timer.advance(500)
    expect(told).toEqual([0])
    timer.advance(5_000)
    expect(told).toEqual([0])

    // Its own changes tell it by themselves: a charge that reaches a threshold, once.
    await served.store.charge([chargeOf({ credits: 90, allowance: 100 })])
    expect(told).toEqual([0, 1])
    timer.advance(5_000)
    expect(told).toEqual([0, 1])
  } finally {
    await command.store.close()
    await served.store.close()
  }
})
