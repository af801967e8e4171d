/** Runs a plan on PostgreSQL in this process. No model is told of commits there: what is stored is compared with the answers. */
import { drainMicrotasks } from "bun:jsc"
import { checkMemory } from "./checks.ts"
import { firstAccounts } from "./data-file.ts"
import { startInstance } from "./instance.ts"
import type { PgliteServer } from "./pglite.ts"
import { makePlan, type Plan } from "./plan.ts"
import { inSteps, type RunOptions, type RunResult, watched, work } from "./run.ts"
import { createWorld, thresholds, type World } from "./world.ts"

/** Statements are dear: plans are small. */
const usualClients = 6
/** A run that needs more steps never ends. */
const mostSteps = 80_000
const mostRestMs = 3 * 3_600_000
const leastRestMs = 60_000
/** The largest allowance of the plans to which accounts are moved. */
const mostAllowance = 90

/** The plan of a seed, without what moves the clock of the server, and without locks, which one session never waits for. */
export function makePostgresPlan(seed: number, clients = usualClients): Plan {
  const { events, ...plan } = makePlan(seed, clients)
  return { ...plan, events: events.filter(({ kind }) => !["month", "day", "lock"].includes(kind)) }
}

/** Runs a seed on a server. */
export async function runPostgresSeed(
  seed: number,
  server: PgliteServer,
  { plan = makePostgresPlan(seed), trace }: Pick<RunOptions, "plan" | "trace"> = {},
): Promise<RunResult> {
  await server.reset()
  const world = createWorld(
    seed,
    "",
    (_, instance, { ports, notices }) =>
      server.open(instance, {
        ...{ ...ports, notices, serving: { onChange() {} } },
        log: { warn: () => world.count("warning") },
      }),
    trace,
  )
  const { now } = Date
  const { setTimeout } = globalThis
  try {
    server.use(world.kernel)
    // The server reads the time here too. Its own time limits, which it would set with a timer, are left out.
    Date.now = () => Math.floor(world.kernel.now())
    Object.assign(globalThis, { setTimeout: () => 0 })
    return await watched(() => inSteps(world, () => runAll(world, plan, server)))
  } finally {
    Date.now = now
    Object.assign(globalThis, { setTimeout })
    server.use(null)
  }
}

function runAll(world: World, plan: Plan, { query }: PgliteServer): void {
  const { kernel, instances } = world
  const read = <Row>(text: string) => readNow(query<Row>(text))
  work(world, plan)
  kernel.faults = 0
  for (const index of [0, 1]) startInstance(world, index, 0)
  // They may still be starting, or try it again.
  const isUp = (index: number) => instances[index]?.isDead === false
  while (![0, 1].every(isUp) && kernel.steps() < mostSteps && kernel.step());
  if (![0, 1].every(isUp)) {
    world.fail("stuck: an instance does not start at rest")
    return
  }
  for (const instance of instances) instance.skewMs = 0
  const waiting = `SELECT (SELECT count(*)::int FROM notices WHERE state = 'pending')
    + (SELECT count(*)::int FROM mails WHERE state = 'pending') AS count`
  const [leastMs, endMs] = [kernel.now() + leastRestMs, kernel.now() + mostRestMs]
  for (let step = 0; world.violation() === null && kernel.step(endMs); step++)
    if (step % 50 === 0 && kernel.now() > leastMs && read<{ count: number }>(waiting)[0]?.count === 0) break
  if (world.violation() === null) check(world, read)
  for (const instance of instances) instance.isDead = true
}

function check(world: World, read: <Row>(text: string) => readonly Row[]): void {
  const { fail, answered, lost, answeredKeys, answeredChanges, signedUp, sent } = world
  const accounts = read<{ id: string; used: number; bonus: number; booked: number; added: number }>(
    `SELECT account_id AS id, used::float8 AS used, bonus::float8 AS bonus,
       (SELECT coalesce(sum(credits), 0)::float8 FROM all_usage WHERE all_usage.account_id = ledger.account_id) AS booked,
       (SELECT coalesce(sum(credits), 0)::float8 FROM adjustments WHERE adjustments.account_id = ledger.account_id) AS added
     FROM ledger`,
  )
  const replays = read<{ id: string; hash: string; credits: number }>(
    "SELECT account_id AS id, key_hash AS hash, credits::float8 AS credits FROM call_replays",
  )
  for (const { id, used, bonus, booked, added } of accounts) {
    if (used > mostAllowance) fail(`below zero: ${id} used ${used}`)
    if (booked !== used + added - bonus)
      fail(`ledger: ${id} has used ${used} and ${added - bonus} of its bonus, and ${booked} are booked`)
    const keyed = replays.filter((replay) => replay.id === id)
    let least = answered.get(id) ?? 0
    let most = lost.get(id) ?? 0
    for (const { hash, credits } of keyed) {
      const isAnswered = [...answeredKeys].some(
        (name) => name === `${id} ${nameOf(name)}` && hashOf(name) === hash,
      )
      if (isAnswered) least += credits
      else most += credits
    }
    most += least
    if (booked < least || booked > most)
      fail(`books: ${id} was answered ${least}, booked ${booked}, at most ${most}`)
  }
  const charged = new Set(replays.map(({ id, hash }) => `${id} ${hash}`))
  for (const name of answeredKeys)
    if (!charged.has(`${name.split(" ")[0]} ${hashOf(name)}`))
      fail(`key: ${name} was answered and not charged`)
  const namesOf = (text: string) => new Set(read<{ name: string }>(text).map(({ name }) => name))
  const changes = namesOf("SELECT actor || ' ' || key AS name FROM replays")
  for (const name of answeredChanges)
    if (!changes.has(name)) fail(`repeat: ${name} was answered and not made`)

  const requireAtRest = (kind: string, table: string) => {
    for (const { id, state } of read<{ id: string; state: string }>(`SELECT id, state FROM ${table}`))
      if (state === "pending" || (state === "delivered" && !sent.has(id)))
        fail(`${kind}: ${id} is ${state} at rest`)
  }
  requireAtRest("notice", "notices WHERE threshold IS NOT NULL")
  requireAtRest("mail", "mails")
  const raised = namesOf("SELECT account_id || ' ' || threshold AS name FROM notices")
  for (const { id, used } of accounts)
    for (const threshold of thresholds)
      if (used * 100 >= threshold * mostAllowance && !raised.has(`${id} ${threshold}`))
        fail(`notice: ${id} used ${used}, and ${threshold} % was not raised`)
  const owners = namesOf("SELECT email || ' ' || id AS name FROM accounts")
  for (const [email, id] of signedUp)
    if (!owners.has(`${email} ${id}`)) fail(`sign-up: ${email} has not the account ${id}`)
  checkMemory(
    world,
    firstAccounts.map(({ id }) => ({ id, createdMs: 0, periodMs: 0, used: 0, bonus: 0 })),
  )
}

const nameOf = (name: string): string => name.slice(name.indexOf(" ") + 1)

const hashOf = (name: string): string => Bun.SHA256.hash(nameOf(name), "hex")

/** The server's answer, which needs no event loop. */
function readNow<Row>(asked: Promise<readonly Row[]>): readonly Row[] {
  let rows: readonly Row[] | null = null
  let failure: unknown = new Error("the server has not answered at once")
  asked.then(
    (found) => {
      rows = found
    },
    (thrown: unknown) => {
      failure = thrown
    },
  )
  drainMicrotasks()
  if (rows === null) throw failure
  return rows
}
