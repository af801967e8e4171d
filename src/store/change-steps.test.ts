import { expect, test } from "bun:test"
import fc from "fast-check"
import {
  accountDetailsOf,
  adminKeyOf,
  auditOf,
  changeOf,
  keyDetailsOf,
  replayOf,
} from "../../test/support/admin-store.ts"
import { anyCharacter } from "../../test/support/any-character.ts"
import { passkeyOf } from "../../test/support/passkeys.ts"
import type { Mutation } from "./admin-store.ts"
import { toSteps } from "./change-steps.ts"
import { toSqlite } from "./sqlite/statement.ts"

/** Mutations of each table with a text and a number at every place that a caller can fill. */
function mutationsOf(text: string, number: number): readonly Mutation[] {
  const secret = { hash: text, prefix: text, createdMs: number }
  const named = { id: text, name: text }
  const account = accountDetailsOf({ ...named, plan: text, bonus: number, externalId: text, email: text })
  const key = keyDetailsOf({ id: text, name: text, allowApis: [text], rateLimit: number, metadata: text })
  const held = { permissions: [text], adminKeyId: null }
  const owner = { kind: "portal", owner: text, name: text, ...held, accountId: text } as const
  const person = { ...named, permissions: [text], held: [text], createdMs: number, removedMs: null }
  const session = { ...owner, id: text, createdMs: number, expiresMs: number, keyHash: text, passkeyId: null }
  const asked = { kind: "sign-up", email: text, plan: text, terms: text, accountId: null } as const
  const times = { createdMs: number, expiresMs: number, usedMs: null }
  const link = { ...asked, ...named, browser: text, network: text, ...times }
  const limits = {
    ...{ asked: "sign-up" as const, mailbox: text, networks: [{ name: text, most: number }], inAll: number },
    ...{ perMailboxAndNetwork: number, perMailbox: number, mostPerMailbox: number },
  }
  const made = { id: text, recipient: text, accountId: text, data: text, nowMs: number, expiresMs: number }
  const mail = { ...made, template: "confirmation" as const }
  return [
    { kind: "account.insert", account },
    { kind: "account.update", id: text, version: number, set: { name: text, email: text, closedMs: number } },
    { kind: "account.renew", id: text, createdMs: number, periodStartMs: number },
    { kind: "webhook.set", accountId: text, webhook: { url: text, secret: text, allowPrivate: true } },
    { kind: "key.insert", key, secret },
    { kind: "key.rotate", id: text, version: number, secret, othersUntilMs: number },
    { kind: "keys.limit", accountId: text, most: number, nowMs: number },
    { kind: "notice.insert", id: text, accountId: text, type: text, data: text, nowMs: number },
    { kind: "notice.resend", id: text, nowMs: number },
    { kind: "adminKey.insert", adminKey: adminKeyOf({ name: text, permissions: [text] }), hash: text },
    { kind: "person.insert", person },
    { kind: "passkey.insert", passkey: passkeyOf({ id: text, name: text, site: text }), most: number },
    { kind: "session.insert", session, hash: text, most: number },
    { kind: "session.endAll", sessionKind: "portal", owner: text },
    { kind: "emailLink.insert", link, hash: text, limits },
    { kind: "emailLink.use", hash: text, nowMs: number },
    { kind: "mail.insert", mail },
  ]
}

const stepsOf = (text: string, number: number) =>
  toSteps(
    changeOf(mutationsOf(text, number), {
      audit: auditOf({ id: text, actorName: text, before: text, atMs: number }),
      replay: replayOf({ key: text, createdMs: number }),
    }),
  )

test("no statement holds a value, whatever the value is", () => {
  const usual = stepsOf("text", 7).map(({ sql }) => sql)
  expect(usual.length).toBeGreaterThan(30)
  const texts = fc.oneof(
    fc.string({ unit: anyCharacter }),
    fc.constantFrom("'); DROP TABLE accounts; --", "$1", "::text", ""),
  )
  fc.assert(
    fc.property(texts, fc.integer({ min: 1 }), (text, number) => {
      expect(stepsOf(text, number).map(({ sql }) => sql)).toEqual(usual)
    }),
  )
})

test("each statement uses exactly the values that it gets", () => {
  for (const { sql, args } of stepsOf("text", 7)) {
    const used = new Set(Array.from(sql.matchAll(/\$(\d+)/g), ([, place]) => Number(place)))
    expect([...used].sort((a, b) => a - b)).toEqual(args.map((_, index) => index + 1))
  }
})

test("a data file gets statements without PostgreSQL's words", () => {
  for (const { sql } of stepsOf("text", 7))
    expect(toSqlite(sql)).not.toMatch(/\$\d|::|FOR (?:NO KEY )?UPDATE|SKIP LOCKED/)
})
