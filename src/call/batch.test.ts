import { expect, test } from "bun:test"
import { echoApi } from "../../test/support/catalog-service.ts"
import { accountOf, keyOf } from "../../test/support/store.ts"
import { defaultPlans, type Plan } from "../accounts/plan.ts"
import { type ResultWriter, runBatch } from "./batch.ts"
import type { Caller } from "./caller.ts"
import type { Pipeline } from "./pipeline.ts"
import { prepareApi } from "./prepared-api.ts"

const [plan] = defaultPlans as [Plan]
const key = { ...keyOf(), disabledMs: null }
const caller: Caller = { key, account: accountOf(), revision: 1, plan, secretHash: "" }
const present = { hasTwoKeys: false, hasLeft: () => false }
const request = { requestId: "r", key: null, address: () => "", ...present, trace: null }
const inputs = Array.from({ length: 40 }, (_, index) => ({ what: `${index}` }))
const turn = () => new Promise<void>((resolve) => setImmediate(resolve))

/** Runs a batch in which each step has to wait for a turn. Counts the steps that wait and the runs under way, at most at once. */
async function runWith(run: Parameters<typeof echoApi>[1], fails = false) {
  const most = { steps: 0, runs: 0 }
  const now = { steps: 0, runs: 0 }
  const written: (string | null)[] = []
  async function counted<T>(kind: keyof typeof now, work: T | Promise<T>): Promise<T> {
    most[kind] = Math.max(most[kind], ++now[kind])
    try {
      return await work
    } finally {
      now[kind]--
    }
  }
  const pipeline = {
    scheduler: { giveWay: () => counted("steps", turn()), nameStep() {} },
    charges: { hold: () => ({ release() {} }), async settle() {} },
    ports: {},
  } as unknown as Pipeline
  const writer: ResultWriter = {
    resultsPerPart: 1,
    async write([result]) {
      await turn()
      if (fails) throw new Error("no room on the disk")
      written.push(String(result?.data?.done))
    },
    room: () => undefined,
    count: () => 0,
    free() {},
  }
  const api = prepareApi(
    echoApi("echo", (input, context) => {
      const running = run(input, context)
      return running instanceof Promise ? counted("runs", running) : running
    }),
  )
  const { data } = (await runBatch({ api, request, inputs, writer }, caller, pipeline)) as { data?: unknown }
  return { data, most, written }
}

const all = { count: 40, succeeded: 40, failed: 0, credits_used: 40 }
const inOrder = inputs.map(({ what }) => what)

test("of runs that need no waiting, one at a time waits for its turn", async () => {
  const { data, most, written } = await runWith(({ what }) => ({ done: what }))
  expect(data).toEqual(all)
  expect(most).toEqual({ steps: 1, runs: 0 })
  expect(written).toEqual(inOrder)
})

test("of runs that wait, sixteen are under way, and the results come in the order of the inputs", async () => {
  const { data, most, written } = await runWith(async ({ what }) => {
    for (let left = 60 - Number(what); left > 0; left--) await turn()
    return { done: what }
  })
  expect(data).toEqual(all)
  expect(most).toEqual({ steps: 1, runs: 16 })
  expect(written).toEqual(inOrder)
})

test.each([
  ["need no waiting", ({ what }: { what: string }) => ({ done: what })],
  ["wait", async ({ what }: { what: string }) => turn().then(() => ({ done: what }))],
])("a result that cannot be written ends a batch of runs that %s", async (_kind, run) =>
  expect(runWith(run, true)).rejects.toThrow("no room on the disk"),
)
