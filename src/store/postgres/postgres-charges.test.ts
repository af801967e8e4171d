import { expect, test } from "bun:test"
import { SQL } from "bun"
import { chargeOf } from "../../../test/support/store.ts"
import { createManualTimer } from "../../../test/support/timer.ts"
import type { Timer } from "../../apis/contract.ts"
import { toFault } from "../../call/fault.ts"
import { systemTimer } from "../../ports/timer.ts"
import { ChargeUnknown, StoreUnavailable } from "../store.ts"
import { createActivity } from "../store-options.ts"
import { type Connection, OutcomeUnknown } from "./connection.ts"
import { toStoreError } from "./errors.ts"
import { prepareCharges } from "./postgres-charges.ts"
import { createServerClock } from "./server-clock.ts"

/** Connections whose answers the test gives. */
function setUp(
  answer: (statement: string, parameters: readonly unknown[]) => object[] | Promise<object[]>,
  { slots = 1, timer = systemTimer }: { slots?: number; timer?: Timer } = {},
) {
  let nowMs = 0
  const clock = { now: () => 0, monotonicMs: () => nowMs }
  const asked: string[] = []
  const limits: (number | undefined)[] = []
  const connection = {
    async run(statement: string, parameters: readonly unknown[], limitMs?: number) {
      asked.push(statement.trim().split(" ")[0] ?? "")
      limits.push(limitMs)
      return answer(statement, parameters)
    },
    async close() {},
  } as Connection
  const activity = createActivity()
  const serverClock = createServerClock(clock)
  const connections = Array.from({ length: slots }, () => ({ ...connection }))
  const charge = prepareCharges(connections, {
    clock,
    timer,
    serverClock,
    skew: { require() {} },
    activity,
    sums: { noted() {} },
    limitMs: 500,
  })
  return {
    charge,
    activity,
    serverClock,
    asked,
    limits,
    move: (ms: number) => {
      nowMs += ms
    },
  }
}

/** Connections whose answers to charges the test gives in its own order; any other statement is answered at once. */
function setUpHeld(options: Parameters<typeof setUp>[1] = {}) {
  const answers: (() => void)[] = []
  const set = setUp(
    (statement, parameters) =>
      statement.startsWith("SELECT")
        ? []
        : new Promise((resolve) => answers.push(() => resolve([row(parameters.at(-1))]))),
    options,
  )
  return { ...set, answers }
}

const told = { used: 1, bonus: 0, periodStartMs: 1_000, serverMs: 0 }
const row = (batch: unknown, number = 1) => ({ number, ...told, batch })

test("a reply for another batch is refused, so that no charge is taken for another", async () => {
  const { charge } = setUp(() => [row("not this one")])
  expect(await charge([chargeOf()])).toEqual([{ charged: false, cause: expect.any(StoreUnavailable) }])
})

test("a charge whose time is over is never sent, and the message says what it waited for", async () => {
  const { charge, asked, move } = setUp(async (_, parameters) => {
    await Promise.resolve()
    move(500)
    return asked.length === 1 ? [row(parameters.at(-1))] : []
  })
  const [first, second] = [charge([chargeOf()]), charge([chargeOf()])]
  expect(await first).toMatchObject([{ charged: true }])
  expect(await second).toEqual([{ charged: false, cause: expect.any(StoreUnavailable) }])
  expect(asked).toEqual(["WITH"])
  const [outcome] = await second
  const cause = String(outcome?.charged === false && outcome.cause)
  expect(cause).toContain("1 of 1 connections for charges are in use")
})

test("the deadline goes to the database in its own clock, less the time that a statement may take", async () => {
  const { charge, serverClock, move } = setUp((_, parameters) => {
    expect(parameters[9]).toBe("{5000250}")
    return [row(parameters.at(-1))]
  })
  move(100)
  serverClock.observe(5_000_000, { sentMs: 100, answeredMs: 100 })
  expect(await charge([chargeOf()])).toMatchObject([{ charged: true }])
})

test("charges of a statement whose answer is lost may have been made; those that were not sent were not", async () => {
  const { charge, asked } = setUp(() => {
    throw new OutcomeUnknown("lost")
  })
  // The second charge of the account has other terms, so it waits for the first.
  const outcomes = await charge([chargeOf(), chargeOf({ day: "2025-01-02" })])
  const causes = outcomes.map((outcome) => (outcome.charged ? null : outcome.cause))
  expect(causes.map((cause) => cause instanceof StoreUnavailable)).toEqual([true, true])
  expect(causes.map((cause) => cause instanceof ChargeUnknown)).toEqual([true, false])
  expect(causes.map((cause) => toFault(cause).code)).toEqual(["chargeUnknown", "storeUnavailable"])
  expect(asked).toEqual(["WITH"])
})

test("a charge is answered when its own batch is, not when all that were asked with it are", async () => {
  const { charge, answers } = setUpHeld({ slots: 2 })
  const decided: number[] = []
  const first = charge([chargeOf()])
  const isDecided = Promise.withResolvers<void>()
  const both = charge([chargeOf(), chargeOf({ accountId: "acc_2" })], ({ charged }, index) => {
    expect(charged).toBe(true)
    decided.push(index)
    isDecided.resolve()
  })
  answers[1]?.()
  await isDecided.promise
  expect(decided).toEqual([1])
  answers[0]?.()
  await first
  // A slot takes its waiting charges when its batch has ended.
  await systemTimer.turn()
  answers[2]?.()
  expect(await both).toMatchObject([{ charged: true }, { charged: true }])
  expect(decided).toEqual([1, 0])
})

test("what happened to a lost statement is not known, so it is not sent again", async () => {
  const { charge, asked, activity } = setUp(() => {
    throw new StoreUnavailable("lost")
  })
  expect(await charge([chargeOf(), chargeOf({ accountId: "acc_2" })])).toEqual([
    { charged: false, cause: new StoreUnavailable("lost") },
    { charged: false, cause: new StoreUnavailable("lost") },
  ])
  expect(asked).toEqual(["WITH"])
  expect(activity).toMatchObject({ batches: 1, charges: 2, refusals: 0 })
})

test("after a lost answer nothing is charged until the database has committed something else", async () => {
  let commits = false
  const { charge, asked } = setUp((statement, parameters) => {
    if (!commits) throw new OutcomeUnknown("lost")
    return statement.startsWith("SELECT") ? [] : [row(parameters.at(-1))]
  })
  const [first] = await charge([chargeOf()])
  expect(first).toEqual({ charged: false, cause: expect.any(ChargeUnknown) })
  const [second] = await charge([chargeOf()])
  expect(second).toEqual({ charged: false, cause: expect.any(StoreUnavailable) })
  expect(second).not.toEqual({ charged: false, cause: expect.any(ChargeUnknown) })
  commits = true
  expect(await charge([chargeOf()])).toMatchObject([{ charged: true }])
  expect(await charge([chargeOf()])).toMatchObject([{ charged: true }])
  expect(asked).toEqual(["WITH", "SELECT", "SELECT", "WITH", "WITH"])
})

test("a charge that waits for the disk has the time that is left to its call; those of other times share the shortest", async () => {
  const { charge, answers, limits, move } = setUpHeld()
  const first = charge([chargeOf()])
  move(100)
  const second = charge([chargeOf()])
  move(50)
  const third = charge([chargeOf()])
  answers[0]?.()
  expect(await first).toMatchObject([{ charged: true }])
  await systemTimer.turn()
  answers[1]?.()
  expect(await Promise.all([second, third])).toMatchObject([[{ charged: true }], [{ charged: true }]])
  expect(limits).toEqual([500, 450])
})

test("after the database gave a charge up for a locked row, it has to commit something else first: the other instance's commit may wait", async () => {
  const givenUp = new SQL.PostgresError("canceling statement due to statement timeout", {
    code: "ERR_POSTGRES_SERVER_ERROR",
    errno: "57014",
    detail: "",
    hint: "",
    severity: "ERROR",
  })
  const { charge, asked } = setUp((statement, parameters) => {
    if (asked.length === 1) throw toStoreError(givenUp)
    return statement.startsWith("SELECT") ? [] : [row(parameters.at(-1))]
  })
  expect(await charge([chargeOf()])).toEqual([{ charged: false, cause: expect.any(StoreUnavailable) }])
  expect(await charge([chargeOf()])).toMatchObject([{ charged: true }])
  expect(asked).toEqual(["WITH", "SELECT", "WITH"])
})

test("a charge that has waited behind a late one too long is refused at once, without a look whether the database commits", async () => {
  const timer = createManualTimer()
  const { charge, answers, asked, move } = setUpHeld({ timer })
  const [late, waiting] = [charge([chargeOf()]), charge([chargeOf()])]
  timer.fire()
  move(400)
  answers[0]?.()
  expect(await late).toMatchObject([{ charged: true }])
  expect(await waiting).toEqual([{ charged: false, cause: expect.any(StoreUnavailable) }])
  expect(asked).toEqual(["WITH"])
})

test("while an answer is late, another connection charges only after the database has committed something", async () => {
  const timer = createManualTimer()
  const { charge, answers, asked } = setUpHeld({ slots: 2, timer })
  const late = charge([chargeOf()])
  // Half of the time is over.
  timer.fire()
  const other = charge([chargeOf({ accountId: "acc_2" })])
  await systemTimer.turn()
  expect(asked).toEqual(["WITH", "SELECT", "WITH"])
  for (const answer of answers) answer()
  expect(await Promise.all([late, other])).toMatchObject([[{ charged: true }], [{ charged: true }]])
})
