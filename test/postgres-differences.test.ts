/** An instance whose clock, or whose plans, differ from those of the others on the same database. */
import { expect, test } from "bun:test"
import { systemClock } from "../src/ports/clock.ts"
import { readAnswer } from "./support/answer.ts"
import { usePostgres } from "./support/postgres.ts"
import { startTestService } from "./support/service.ts"

const postgres = usePostgres()

test("a clock that differs from the database's is logged once, with what each clock decides", async () => {
  const db = await postgres.createDatabase()
  const clock = { ...systemClock, now: () => systemClock.now() + 3_600_000 }
  const service = await startTestService({ ports: { clock }, flags: { db } })
  const { key } = await service.createKey("pro")
  expect((await service.fetch("/v1/bluetoothlookup?companyid=76", { key })).status).toBe(200)
  const lines = service.logged().trim().split("\n")
  const told = lines.map((line) => JSON.parse(line)).filter(({ message }) => message === "clocks differ")
  const [{ secondsAheadOfDatabase } = { secondsAheadOfDatabase: 0 }] = told
  expect(Math.abs(secondsAheadOfDatabase - 3_600)).toBeLessThan(60)
  expect(told).toMatchObject([
    {
      level: "warn",
      consequence:
        "Credit months, days and expiry follow this machine's clock; limits per minute follow the database's.",
    },
  ])
})

test("an account with a plan that this instance does not know is refused without a charge; the other instance serves it", async () => {
  const db = await postgres.createDatabase()
  const plans = { plans: { team: { monthly_credits: 5, premium: false } } }
  const knows = await startTestService({ ports: { clock: systemClock }, flags: { db }, file: plans })
  const knowsNot = await startTestService({ ports: { clock: systemClock }, flags: { db } })
  const { account, key } = await knowsNot.createKey("free")
  await knows.accounts.setPlan(account, "team")
  const answer = await knowsNot.fetch("/v1/bluetoothlookup?companyid=76", { key })
  expect(answer.status).toBe(500)
  expect((await readAnswer(answer)).error).toContain(
    "The plan of this account, 'team', is not configured here",
  )
  expect(knowsNot.logged()).toContain(`Account ${account} has the plan 'team', which is not configured`)
  expect((await knows.accounts.show(account)).balance.used).toBe(0)
  expect((await knows.fetch("/v1/bluetoothlookup?companyid=76", { key })).status).toBe(200)
  expect((await knows.accounts.show(account)).balance.used).toBe(1)
})
