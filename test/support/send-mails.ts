/**
 * A process that puts a mail into an outbox and sends what is due, until it is killed or done.
 * Arguments: the store, the port of the mail server, how far its clock is ahead in milliseconds, the id of the mail to insert.
 */
import { createMailDelivery } from "../../src/mail/deliver-mails.ts"
import { systemClock } from "../../src/ports/clock.ts"
import { createLog } from "../../src/ports/log.ts"
import { createMailSender } from "../../src/ports/mail-sender.ts"
import { systemRandom } from "../../src/ports/random.ts"
import { keepAliveTimer } from "../../src/ports/timer.ts"
import { openStore } from "../../src/store/open.ts"
import { changeOf } from "./admin-store.ts"

const [db = "", port = "", aheadMs = "0", id = ""] = process.argv.slice(2)
const clock = { ...systemClock, now: () => systemClock.now() + Number(aheadMs) }
const timer = keepAliveTimer
const { admin, mails, store } = await openStore(db, {
  ...{ timer, clock, random: systemRandom, limitMs: 30_000, maxSkewMs: Number.POSITIVE_INFINITY },
})
if (id !== "") {
  const mail = {
    ...{ id, recipient: "ann@example.com", accountId: null, expiresMs: null },
    template: "sign-in" as const,
    ...{ data: '{"link":"https://example.com/#x"}', nowMs: clock.now() },
  }
  await admin.apply({
    ...changeOf([{ kind: "mail.insert", mail }]),
    audit: { ...changeOf([]).audit, id: `aud_${id}` },
  })
  console.log("written")
}
const server = {
  host: "localhost",
  port: Number(port),
  security: "none",
  user: null,
  password: null,
} as const
const delivery = createMailDelivery({
  ...{ mails, clock, timer, random: systemRandom, log: createLog((line) => console.error(line)) },
  sender: createMailSender(server, { timer }),
  brand: () => ({
    title: "Example",
    accent: "#000000",
    onAccent: "#ffffff",
    from: "no@example.com",
    logo: null,
    portal: null,
  }),
  unsubscribeLink: async () => "",
})
await delivery.runDue()
await store.close()
process.exit()
