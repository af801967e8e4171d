import { beforeAll, describe, expect, test } from "bun:test"
import { existsSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Glob } from "bun"
import { tempDir } from "../support/temp.ts"
import { isAll } from "../support/turns.ts"
import { makeTemplate } from "./data-file.ts"
import { createKernel } from "./kernel.ts"
import { monthStart } from "./model.ts"
import { makePlan, type Plan } from "./plan.ts"
import { type RunResult, runSeed, watched } from "./run.ts"
import { seedOfCommit } from "./seed.ts"
import { shrink } from "./shrink.ts"
import { prepareStarts, runStart } from "./start.ts"

const folder = tempDir(existsSync("/dev/shm") ? "/dev/shm" : tmpdir())
const files = { template: join(folder, "template.db"), file: join(folder, "run.db") }
const run = (seed: number, plan?: Plan) => watched(() => runSeed(seed, { ...files, ...(plan && { plan }) }))

beforeAll(async () => {
  await makeTemplate(files.template)
  await prepareStarts(files.file)
})

/** The text for a failure: all that is needed to run it again. */
function requireNone({ seed, problem }: RunResult, options = ""): void {
  if (problem !== null) throw new Error(`${problem}\nbun run simulate ${options}--seed ${seed} --shrink`)
}

const seeds = 200

test(`${seeds} seeds of the commit hold, and let everything happen`, async () => {
  const first = await seedOfCommit()
  const counts = new Map<string, number>()
  for (let seed = first; seed < first + seeds; seed++) {
    const result = await run(seed)
    requireNone(result)
    for (const [name, count] of result.counts) counts.set(name, (counts.get(name) ?? 0) + count)
  }
  const happened = "single batch query replay rateLimited creditsUsedUp callerLeft chargeUnknown".split(" ")
  const changed = [
    "credits.grant",
    "credits.adjust",
    "accounts.update",
    "keys.create",
    "keys.revoke",
    "signed in",
  ]
  const faults = ["kill", "store fails", "answer lost", "wake lost", "connection broken", "unavailable"]
  const events = ["month", "day", "skew", "price", "lock", "clean"].map((kind) => `event ${kind}`)
  expect([...happened, ...changed, ...faults, ...events].filter((name) => !counts.has(name))).toEqual([])
})

test("the service starts or closes all, whatever comes in a step of its start", async () => {
  const first = await seedOfCommit()
  const counts = new Map<string, number>()
  // A start is killed in every fortieth: with 200 seeds one commit in 150 had none.
  for (let seed = first; seed < first + 500; seed++) {
    const result = await watched(() => runStart(seed, files))
    requireNone(result, "--starts ")
    for (const [name, count] of result.counts) counts.set(name, (counts.get(name) ?? 0) + count)
  }
  const outcomes = ["served", "refused", "killed", "stopped"]
  const told = ["a notice", "a lost file", "a message", "a connection"].map((name) => `told ${name}`)
  expect([...outcomes, ...told].filter((name) => !counts.has(name))).toEqual([])
})

/** In a process of its own, since PostgreSQL takes a gigabyte of memory. */
test("some seeds of the commit hold on PostgreSQL", async () => {
  // Among 20, each kind of fault was always there.
  const [seeds, happened] = isAll ? [20, ["kill", "connection broken"]] : [8, []]
  const { exitCode, stdout, stderr } =
    await Bun.$`${process.execPath} scripts/simulate.ts --store pglite --seeds ${seeds} --shrink`
      .cwd(join(import.meta.dir, "../.."))
      .quiet()
      .nothrow()
  const text = `${stdout}${stderr}`
  if (exitCode !== 0) throw new Error(text)
  expect(text).toMatch(new RegExp(`^${seeds} seeds from \\d+, .*: all held$`, "m"))
  for (const name of ["single", "batch", "query", ...happened]) expect(text).toContain(`"${name}":`)
})

test("the same seed gives the same steps", async () => {
  for (const seed of [1, 2, 3]) {
    const { hash, steps } = await run(seed)
    expect(await run(seed)).toMatchObject({ hash, steps })
    expect((await run(seed + 100)).hash).not.toBe(hash)
  }
})

describe("plans that once found something hold", () => {
  const found = [...new Glob("found/*.json").scanSync(import.meta.dir)].sort()
  for (const name of found)
    test(name, async () => {
      const { seed, plan }: { seed: number; plan: Plan } = await Bun.file(join(import.meta.dir, name)).json()
      for (let schedule = 0; schedule < 10; schedule++) requireNone(await run(seed + schedule, plan))
    })
})

test("kernel runs what is ready before time moves, and never what was cancelled or belongs to a dead owner", () => {
  const kernel = createKernel(1, 0)
  const owner = { isDead: false, name: "i0" }
  const ran: string[] = []
  kernel.later(owner, "late", 5_000, () => ran.push(`late at ${kernel.now()}`))
  kernel.later(null, "soon", 2_000, () => ran.push(`soon at ${kernel.now()}`))
  kernel.later(null, "cancelled", 1_000, () => ran.push("cancelled"))()
  kernel.later(null, "now", 0, () => ran.push(`now at ${kernel.now()}`))
  expect([kernel.step(), kernel.step()]).toEqual([true, true])
  owner.isDead = true
  expect(kernel.step()).toBe(false)
  expect(ran).toEqual(["now at 0", "soon at 2000"])
})

test("kernel goes on with all that follows from a step without a wait", async () => {
  const kernel = createKernel(1, 0)
  let reached = 0
  void kernel.point(null, "point").then(async () => {
    for (let hops = 0; hops < 50; hops++) await undefined
    reached = 50
  })
  kernel.step()
  expect(reached).toBe(50)
})

test("a shrunk plan has only what the failure needs", async () => {
  const plan = makePlan(2)
  const needs = (tried: Plan) =>
    tried.clients[3]?.some(({ kind }) => kind === plan.clients[3]?.[1]?.kind) === true
  const fake = async (seed: number, tried: Plan): Promise<RunResult> => ({
    ...{ seed, hash: "", steps: 0, counts: new Map() },
    problem: needs(tried) ? "books: wrong" : null,
  })
  const small = await shrink(await fake(2, plan), plan, fake)
  expect(small.plan.events).toEqual([])
  expect(small.plan.clients.flat().map(({ kind }) => kind)).toEqual([plan.clients[3]?.[1]?.kind ?? "wait"])
  expect(small.plan.clients[3]).toHaveLength(1)
})

test("months of the model begin on the day of the account, or on the last day of a shorter month", () => {
  const created = Date.parse("2025-01-31T22:30:00.250Z")
  const start = (iso: string) => new Date(monthStart(created, Date.parse(iso))).toISOString()
  expect(start("2025-02-28T22:30:00.249Z")).toBe("2025-01-31T22:30:00.250Z")
  expect(start("2025-02-28T22:30:00.250Z")).toBe("2025-02-28T22:30:00.250Z")
  expect(start("2025-03-31T00:00:00.000Z")).toBe("2025-02-28T22:30:00.250Z")
  expect(start("2025-04-01T00:00:00.000Z")).toBe("2025-03-31T22:30:00.250Z")
})
