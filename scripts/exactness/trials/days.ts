import { Database } from "bun:sqlite"
import { mkdirSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { livePorts } from "../../../src/app/live-ports.ts"
import { startService } from "../../../src/app/service.ts"
import { createConfigSource } from "../../../src/config/file.ts"
import { loadConfig } from "../../../src/config/load.ts"
import { systemClock } from "../../../src/ports/clock.ts"
import { createRunOwnCommand } from "../../../src/ports/own-process.ts"
import type { Finding } from "../../findings.ts"
import { sum } from "../books.ts"
import { command } from "../command.ts"
import { mixedCalls, send } from "../traffic.ts"
import { atMost, count, type Lab, none } from "../trial.ts"

const dayMs = 86_400_000
/** When the accounts are made. */
const madeMs = Date.UTC(2026, 0, 30)
const monthlyCredits = 10_000_000
const grantCredits = 1_000
const customers = 4
/** Changes of the administration in a day. Each kind has its turn. */
const changesInDay = 24
/** Memory may grow by so much between the end of the second day and that of the last. */
const maxGrowthMegabytes = 40

/**
 * Uses a service in this process for days whose clock runs faster: calls of all kinds, and changes of the administration
 * meanwhile. The store is a data file: the clock of a database server cannot be moved.
 */
export async function tryDays(lab: Lab, days: number, minutes: number): Promise<readonly Finding[]> {
  const service = await startMoved(lab)
  const { clock, admin, apis } = service
  const accounts = await Promise.all(
    Array.from({ length: customers }, async (_, number) => {
      const { id } = await admin("POST", "/accounts", { name: `customer ${number}`, plan: "week" })
      const { id: keyId, key } = await admin("POST", "/keys", { account: id })
      return { customer: { id, keyId, key }, answered: 0, refused: 0, granted: 0, renewals: 0 }
    }),
  )
  // Their credit months end at the same instant. The days begin so that the third is the first of the next month.
  const { renews } = await admin("GET", `/accounts/${accounts[0]?.customer.id}`)
  const firstMs = Date.parse(renews) - 2 * dayMs
  const realDayMs = (minutes * 60_000) / days
  const total = { rotations: 0, reloads: 0, backups: 0, grants: 0, wrong: 0 }
  const megabytes: number[] = []

  async function change(number: number): Promise<void> {
    const account = accounts[Math.floor(number / 4) % accounts.length]
    if (!account) return
    const { id, keyId } = account.customer
    if (number % 4 === 0) {
      const { key } = await admin("POST", `/keys/${keyId}/rotate`, { grace: "1d" })
      account.customer = { ...account.customer, key }
      total.rotations++
    } else if (number % 4 === 1) {
      writeApi(apis, number)
      await admin("POST", "/config/reload", {})
      total.reloads++
    } else if (number % 4 === 2) {
      await admin("POST", `/accounts/${id}/credits`, { credits: grantCredits })
      account.granted += grantCredits
      total.grants++
    } else if (number % changesInDay === 3) {
      await admin("POST", "/backups", { name: `day-${number}.db` })
      rmSync(join(lab.directory, "backups", `day-${number}.db`))
      total.backups++
    }
  }

  for (let day = 0; day < days; day++) {
    const startMs = firstMs + day * dayMs
    const before = await Promise.all(accounts.map(({ customer }) => admin("GET", `/accounts/${customer.id}`)))
    clock.runDay(startMs, dayMs / realDayMs)
    for (const [index, account] of accounts.entries()) {
      const { used } = await admin("GET", `/accounts/${account.customer.id}`)
      const isRenewed = used === 0 && Number(before[index]?.used) > 0
      if (isRenewed) account.renewals++
      // Usage begins at 0 with a month, and at no other time.
      if (isRenewed !== (day === 2)) total.wrong++
    }
    let isOver = false
    const clients = accounts.map(async (account, first) => {
      for (let turn = first; !isOver; turn++) {
        const request = turn % 4 === 3 ? ownCall : mixedCalls[turn % mixedCalls.length]
        if (!request) continue
        const call = await send(service.url, 0, account.customer, request)
        account.answered += call.credits
        if (call.status !== 200) account.refused++
        await Bun.sleep(2)
      }
    })
    for (let step = 0; step < changesInDay; step++) {
      await Bun.sleep(realDayMs / changesInDay)
      await change(day * changesInDay + step)
    }
    isOver = true
    await Promise.all(clients)
    const booked = service.booked()
    for (const { customer, answered } of accounts) {
      if (booked.get(customer.id) !== answered) total.wrong++
    }
    Bun.gc(true)
    megabytes.push(process.memoryUsage.rss() / 1e6)
    const sums = `answered ${sum(accounts.map(({ answered }) => answered))}, booked ${sum([...booked.values()])}`
    const renewals = sum(accounts.map((account) => account.renewals))
    lab.say(
      `day ${day + 1}: ${sums}, granted ${total.grants * grantCredits}, ${renewals} renewals, ${megabytes.at(-1)?.toFixed()} MB`,
    )
  }
  for (const { customer, granted } of accounts) {
    const { bonus } = await admin("GET", `/accounts/${customer.id}`)
    if (bonus !== granted) total.wrong++
  }
  await service.stop()
  const [settled = 0] = megabytes.slice(1)
  return [
    none("accounts and days whose credits, renewals or grants were off", total.wrong),
    none("refused calls", sum(accounts.map(({ refused }) => refused))),
    count("answered credits", sum(accounts.map(({ answered }) => answered)), 1),
    count("credits granted", total.grants * grantCredits),
    count("renewals", sum(accounts.map(({ renewals }) => renewals)), days > 2 ? customers : 0),
    count("rotations of keys", total.rotations),
    count("reloads with a new version of an own API", total.reloads),
    count("backups", total.backups),
    atMost(
      "growth of memory since the second day, MB",
      [(megabytes.at(-1) ?? 0) - settled],
      maxGrowthMegabytes,
    ),
  ]
}

const ownCall = { path: "/v1/day", body: {}, cost: 1 }

/** Starts a service on a data file, whose clock runs as fast as is said. */
async function startMoved(lab: Lab) {
  const db = join(lab.directory, "penknife.db")
  const apis = join(lab.directory, "apis")
  const file = join(lab.directory, "days.toml")
  mkdirSync(join(lab.directory, "backups"))
  writeApi(apis, 0)
  writeFileSync(file, `[plans.week]\nmonthly_credits = ${monthlyCredits}\n`)
  const flags = {
    db,
    port: "0",
    apis,
    backupDir: join(lab.directory, "backups"),
    logLevel: "error",
    history: "2",
  }
  const source = createConfigSource(file, (values) => loadConfig({ flags, env: {}, file: values }))
  const config = source.read(source.readText())
  let [originMs, realMs, factor, lastMs] = [madeMs, systemClock.monotonicMs(), 0, madeMs]
  const now = () => Math.min(originMs + (systemClock.monotonicMs() - realMs) * factor, lastMs)
  const clock = { now: () => Math.floor(now()), monotonicMs: systemClock.monotonicMs }
  const service = await startService(config, {
    ports: { ...livePorts(config), clock },
    configSource: source,
    runOwnCommand: createRunOwnCommand([lab.binary], process.env),
  })
  const { key } = await command({ binary: lab.binary, config: file }, db, [
    "admin-key",
    "create",
    "--name",
    "days",
  ])
  const { url } = service.server
  return {
    url,
    apis,
    clock: {
      /** Lets a day pass. The clock stands still at its end, so that the next day never begins before a late answer. */
      runDay(fromMs: number, speed: number) {
        ;[originMs, realMs, factor, lastMs] = [fromMs, systemClock.monotonicMs(), speed, fromMs + dayMs - 1]
      },
    },
    stop: () => service.stop(),
    async admin(method: string, path: string, body?: object) {
      const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" }
      const answer = await fetch(`${url}/admin/v1${path}`, {
        method,
        headers,
        ...(body && { body: JSON.stringify(body) }),
      })
      const text = await answer.text()
      if (!answer.ok) throw new Error(`${method} ${path} was refused: ${text}`)
      return JSON.parse(text)
    },
    /** The credits that were ever charged, by account. */
    booked(): ReadonlyMap<string, number> {
      const database = new Database(db, { readonly: true })
      const rows = database
        .query<{ id: string; credits: number }, []>(
          "SELECT account_id AS id, sum(credits) AS credits FROM all_usage GROUP BY account_id",
        )
        .all()
      database.close()
      return new Map(rows.map(({ id, credits }) => [id, credits]))
    },
  }
}

function writeApi(apis: string, version: number): void {
  mkdirSync(join(apis, "day"), { recursive: true })
  writeFileSync(
    join(apis, "day/index.ts"),
    `import { defineApi, Type } from "penknife/plugin"
export default defineApi({
  id: "day",
  title: "Version",
  description: "Gives its version.",
  method: "POST",
  credits: 1,
  input: Type.Object({}),
  output: Type.Object({ version: Type.Integer({ description: "The version." }) }),
  examples: [{ name: "A call", input: {}, output: { version: ${version} } }],
  run: () => ({ version: ${version} }),
})
`,
  )
}
