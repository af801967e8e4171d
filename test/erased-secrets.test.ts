/** No byte of a data file or its write-ahead log tells what signs in, or what was deleted and replaced. */
import { expect, test } from "bun:test"
import { readdir, readFile } from "node:fs/promises"
import { join } from "node:path"
import { createId, createSecret, hashKey } from "../src/accounts/key.ts"
import { mailOf, newEmailLink } from "../src/admin/sign-up/new-link.ts"
import { createMailDelivery } from "../src/mail/deliver-mails.ts"
import { createLog } from "../src/ports/log.ts"
import type { MailSender } from "../src/ports/mail-sender.ts"
import { systemRandom as random } from "../src/ports/random.ts"
import type { Mutation } from "../src/store/admin-store.ts"
import { compact } from "../src/store/sqlite/backup.ts"
import { openSqliteStore } from "../src/store/sqlite/open-sqlite.ts"
import { accountDetailsOf, changeOf } from "./support/admin-store.ts"
import { createManualClock } from "./support/clock.ts"
import { tempDir } from "./support/temp.ts"
import { createManualTimer, noWaitTimer } from "./support/timer.ts"

const hourMs = 3_600_000
const links = 31

/** A data file that a process works on, and what other programs read of it meanwhile. */
async function openFile() {
  const folder = tempDir()
  const clock = createManualClock()
  const store = openSqliteStore(join(folder, "data.db"), { timer: noWaitTimer })
  let changes = 0
  const apply = async (...mutations: Mutation[]) => {
    const change = changeOf(mutations)
    const outcome = await store.admin.apply({ ...change, audit: { ...change.audit, id: `aud_${changes++}` } })
    expect(outcome).toBe("applied")
  }
  /** All bytes of the data file and of the files beside it. */
  async function bytes(): Promise<Buffer> {
    const files = await readdir(folder)
    return Buffer.concat(await Promise.all(files.map((file) => readFile(join(folder, file)))))
  }
  return { ...store, clock, apply, bytes, folder }
}

const found = (bytes: Buffer, texts: readonly string[]) => texts.filter((text) => bytes.includes(text))

/** Sends what is due, and returns the tokens of the mails as their readers get them. */
async function deliver(
  { mails, clock }: Awaited<ReturnType<typeof openFile>>,
  sender: Partial<MailSender> = {},
) {
  const tokens: string[] = []
  const delivery = createMailDelivery({
    mails,
    sender: {
      async send({ to, from, message }) {
        const text = message.toString().replace(/=\r\n/g, "").replace(/=3D/g, "=")
        tokens.push(/confirm#[a-z-]+=(pkl-[0-9A-Za-z]{38})\b/.exec(text)?.[1] ?? "none")
        return (await sender.send?.({ to, from, message })) ?? { kind: "accepted", status: 250, error: null }
      },
    },
    brand: () => ({
      ...{ title: "Example", accent: "#000000", onAccent: "#ffffff", logo: null, portal: null },
      from: "no-reply@example.com",
    }),
    unsubscribeLink: async () => "",
    ...{ clock, timer: createManualTimer(), random, log: createLog(() => {}) },
  })
  await delivery.runDue()
  return tokens
}

function invitation(n: number, nowMs: number) {
  const made = newEmailLink(
    {
      ...{ kind: "invitation", email: `ann${n}@example.com`, name: "", plan: null, terms: null },
      ...{ accountId: null, browser: null, network: "" },
    },
    { portal: "https://api.example", nowMs, durationMs: hourMs, limits: null, random },
  )
  return { id: made.link.id, mutations: [made.mutation, mailOf(made, "free", random)] }
}

test("tokens of links that were mailed are in no byte of the file and its log, before and after a clean stop", async () => {
  const file = await openFile()
  for (let n = 0; n < links; n++) await file.apply(...invitation(n, file.clock.now()).mutations)
  const tokens = await deliver(file)
  expect(new Set(tokens).size).toBe(links)
  expect(tokens).not.toContain("none")
  expect(found(await file.bytes(), tokens)).toEqual([])
  // A list is read on a connection of its own.
  expect(await file.admin.accounts({}, { limit: 1, after: null })).toEqual([])
  // The search finds what is there.
  expect(found(await file.bytes(), ["ann30@example.com"])).toHaveLength(1)
  await file.store.close()
  expect(await readdir(file.folder)).toEqual(["data.db"])
  expect(found(await file.bytes(), tokens)).toEqual([])
})

test("tokens of links that were mailed work each, when a mail was sent twice, and end together", async () => {
  const file = await openFile()
  const { id, mutations } = invitation(1, file.clock.now())
  await file.apply(...mutations)
  // The server took the mail, and its answer was lost.
  const lost = { send: async () => ({ kind: "retry", status: null, error: "connection lost" }) as const }
  const [first = ""] = await deliver(file, lost)
  file.clock.advance(60_000)
  const [second = ""] = await deliver(file)
  expect(first).not.toBe(second)
  for (const token of [first, second])
    expect(await file.admin.findEmailLink(hashKey(token))).toMatchObject({ id, usedMs: null })
  await file.apply({ kind: "emailLink.use", hash: hashKey(first), nowMs: file.clock.now() })
  expect((await file.admin.findEmailLink(hashKey(second)))?.usedMs).toBe(file.clock.now())
  await file.store.close()
})

test("tokens of links that were mailed are not made for a link that was taken back before its mail was sent, and the mail is not sent", async () => {
  const file = await openFile()
  const { id, mutations } = invitation(1, file.clock.now())
  await file.apply(...mutations)
  await file.apply({ kind: "emailLink.revoke", id })
  expect(await deliver(file)).toEqual([])
  const page = { limit: 5, after: null }
  expect(await file.admin.mails({}, page)).toMatchObject([
    { state: "expired", lastError: "its link was used or taken back before it could be sent", data: null },
  ])
  await file.store.close()
})

test("secrets of webhooks that were replaced or removed, and rows that were deleted, are overwritten, and in no byte after compact", async () => {
  const file = await openFile()
  const secrets = Array.from({ length: 40 }, (_, n) => `whsec_${n}_${createSecret("linkToken", random)}`)
  const ids = secrets.map(() => createId("acc", random))
  for (const [n, id] of ids.entries()) {
    await file.apply({
      kind: "account.insert",
      account: accountDetailsOf({ id, email: `old${n}@example.com` }),
    })
    const webhook = { url: "https://a.example/", secret: secrets[n] ?? "", allowPrivate: false }
    await file.apply({ kind: "webhook.set", accountId: id, webhook })
    await file.apply(...invitation(n, file.clock.now()).mutations)
  }
  const addresses = ids.flatMap((_, n) => [`old${n}@example.com`, `ann${n}@example.com`])
  expect(found(await file.bytes(), [...secrets, ...addresses])).toHaveLength(120)
  await deliver(file)
  for (const [n, id] of ids.entries()) {
    const replaced = { url: "https://b.example/", secret: `whsec_new_${n}`, allowPrivate: false }
    const webhook = n % 2 === 0 ? replaced : null
    await file.apply({ kind: "webhook.set", accountId: id, webhook })
    await file.apply({ kind: "account.update", id, version: 1, set: { email: null } })
  }
  file.clock.advance(2 * hourMs)
  const nowMs = file.clock.now()
  await file.retention.deleteNotices(nowMs, 1_000)
  const later = invitation(99, nowMs)
  await file.apply(...later.mutations)
  await file.store.close()
  // Where SQLite divides a page, a copy of a row may stay: of one of these in a file of twenty.
  expect(found(await file.bytes(), [...secrets, ...addresses]).length).toBeLessThan(12)
  compact(join(file.folder, "data.db"))
  const left = await file.bytes()
  expect(found(left, [...secrets, ...addresses])).toEqual([])
  expect(found(left, ["whsec_new_0", "ann99@example.com"])).toHaveLength(2)
})
