import { mkdirSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { Timer } from "../../../src/apis/contract.ts"
import { livePorts } from "../../../src/app/live-ports.ts"
import { startService } from "../../../src/app/service.ts"
import { createConfigSource } from "../../../src/config/file.ts"
import { loadConfig } from "../../../src/config/load.ts"
import { systemClock } from "../../../src/ports/clock.ts"
import { createRunOwnCommand } from "../../../src/ports/own-process.ts"
import { systemTimer } from "../../../src/ports/timer.ts"
import { openBrowser } from "../../../test/support/browser.ts"
import type { Finding } from "../../findings.ts"
import { readBooks, sum } from "../books.ts"
import { command } from "../command.ts"
import { createServer } from "../database.ts"
import { callInTurn, type DaysAccount, reads } from "../days-load.ts"
import { atMost, count, type Lab, none } from "../trial.ts"

const hourMs = 3_600_000
const dayMs = 24 * hourMs
/** When the accounts are made. */
const madeMs = Date.UTC(2026, 0, 30)
const monthlyCredits = 10_000_000
const grantCredits = 1_000
const customers = 4
/** A key of the administration may make 600 requests a minute. */
const readEveryMs = 250
/** Changes of the administration in a day. Each kind has its turn. */
const changesInDay = 24
/** Memory may grow by so much between the end of the second day and that of the last. */
const maxGrowthMegabytes = 40

export interface DaysOptions {
  readonly days: number
  /** How long the days take. */
  readonly minutes: number
  readonly store: "file" | "postgres"
}

/**
 * Uses a service in this process for days whose clock runs faster: calls of all kinds, and changes of the administration
 * meanwhile.
 */
export async function tryDays(lab: Lab, { days, minutes, store }: DaysOptions): Promise<readonly Finding[]> {
  const realDayMs = (minutes * 60_000) / days
  const service = await startMoved(lab, store, dayMs / realDayMs)
  const { clock, admin } = service
  const accounts = await Promise.all(
    Array.from({ length: customers }, async (_, number): Promise<DaysAccount> => {
      const { id } = await admin("POST", "/accounts", { name: `customer ${number}`, plan: "week" })
      const { id: keyId, key } = await admin("POST", "/keys", { account: id })
      const browser = openBrowser(service.url)
      return {
        id,
        keyId,
        key,
        browser,
        answered: 0,
        refused: 0,
        granted: 0,
        renewals: 0,
        signIns: 0,
        portalMs: 0,
      }
    }),
  )
  // Their credit months end at the same instant. The days begin so that the third is the first of the next month.
  const { renews } = await admin("GET", `/accounts/${accounts[0]?.id}`)
  const firstMs = Date.parse(renews) - 2 * dayMs
  const total = { rotations: 0, reloads: 0, backups: 0, grants: 0, reads: 0, auditRows: 0, wrong: 0 }
  const megabytes: number[] = []

  async function change(number: number): Promise<void> {
    const account = accounts[Math.floor(number / 4) % accounts.length]
    if (!account) return
    const { id, keyId } = account
    if (number % 4 === 0) {
      const { key } = await admin("POST", `/keys/${keyId}/rotate`, { grace: "1d" })
      account.key = key
      total.rotations++
    } else if (number % 4 === 1) {
      service.writeConfig(1_000_000 + number)
      await admin("POST", "/config/reload", {})
      total.reloads++
    } else if (number % 4 === 2) {
      await admin("POST", `/accounts/${id}/credits`, { credits: grantCredits })
      account.granted += grantCredits
      total.grants++
    } else if (number % changesInDay === 7) {
      total.auditRows += (await service.command("audit", "prune", "--keep-audit", "30")).deleted
    } else if (number % changesInDay === 3 && store === "file") {
      await admin("POST", "/backups", { name: `day-${number}.db` })
      rmSync(join(lab.directory, "backups", `day-${number}.db`))
      total.backups++
    }
  }

  for (let day = 0; day < days; day++) {
    const startMs = firstMs + day * dayMs
    const before = await Promise.all(accounts.map(({ id }) => admin("GET", `/accounts/${id}`)))
    clock.runDay(startMs)
    for (const [index, account] of accounts.entries()) {
      const { used } = await admin("GET", `/accounts/${account.id}`)
      const isRenewed = used === 0 && Number(before[index]?.used) > 0
      if (isRenewed) account.renewals++
      // Usage begins at 0 with a month, and at no other time.
      if (isRenewed !== (day === 2)) total.wrong++
    }
    let isOver = false
    const clients = accounts.map(async (account, first) => {
      for (let turn = first; !isOver; turn++) {
        await callInTurn(service.url, admin, account, turn)
        await Bun.sleep(2)
      }
    })
    const reader = async () => {
      for (; !isOver; total.reads++) {
        await admin("GET", reads[total.reads % reads.length] ?? "")
        await Bun.sleep(readEveryMs)
      }
    }
    clients.push(reader())
    for (let step = 0; step < changesInDay; step++) {
      await Bun.sleep(realDayMs / changesInDay)
      await change(day * changesInDay + step)
    }
    isOver = true
    await Promise.all(clients)
    const booked = await service.booked()
    for (const { id, answered } of accounts) {
      if (booked.get(id) !== answered) total.wrong++
    }
    Bun.gc(true)
    megabytes.push(process.memoryUsage.rss() / 1e6)
    const sums = `answered ${sum(accounts.map(({ answered }) => answered))}, booked ${sum([...booked.values()])}`
    const renewals = sum(accounts.map((account) => account.renewals))
    lab.say(
      `day ${day + 1}: ${sums}, granted ${total.grants * grantCredits}, ${renewals} renewals, ${megabytes.at(-1)?.toFixed()} MB`,
    )
  }
  for (const { id, granted } of accounts) {
    const { bonus } = await admin("GET", `/accounts/${id}`)
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
    count("sign-ins to the portal", sum(accounts.map(({ signIns }) => signIns))),
    count("reads of the administration", total.reads),
    count("audit records deleted", total.auditRows, 1),
    atMost(
      "growth of memory since the second day, MB",
      [(megabytes.at(-1) ?? 0) - settled],
      maxGrowthMegabytes,
    ),
  ]
}

/** Starts a service whose clock runs faster. The clock of a database server cannot be moved, so they may differ here. */
async function startMoved(lab: Lab, store: DaysOptions["store"], speed: number) {
  const db = store === "file" ? join(lab.directory, "penknife.db") : await startDatabase(lab)
  const apis = join(lab.directory, "apis")
  const file = join(lab.directory, "days.toml")
  mkdirSync(join(lab.directory, "backups"))
  writeApi(apis)
  const writeConfig = (maxBody: number) =>
    writeFileSync(file, `max_body = ${maxBody}\n[plans.week]\nmonthly_credits = ${monthlyCredits}\n`)
  writeConfig(1_000_000)
  const flags = {
    db,
    port: "0",
    apis,
    backupDir: join(lab.directory, "backups"),
    logLevel: "error",
    history: "2",
    keepNotices: "1",
  }
  const source = createConfigSource(file, (values) => loadConfig({ flags, env: {}, file: values }))
  const config = source.read(source.readText())
  let [originMs, realMs, factor, lastMs] = [madeMs, systemClock.monotonicMs(), 0, madeMs]
  const now = () => Math.min(originMs + (systemClock.monotonicMs() - realMs) * factor, lastMs)
  const clock = { now: () => Math.floor(now()), monotonicMs: systemClock.monotonicMs }
  // The deletion of old records comes once an hour of the moved clock.
  const timer: Timer = {
    ...systemTimer,
    after: (ms, run) => systemTimer.after(ms < hourMs ? ms : ms / speed, run),
  }
  const service = await startService(config, {
    ports: { ...livePorts(config), clock, timer },
    maxSkewMs: Number.POSITIVE_INFINITY,
    // A disk that is slow for a moment is no fault of the service: no call must be refused for it here.
    databaseLimitMs: 10_000,
    configSource: source,
    runOwnCommand: createRunOwnCommand([lab.binary], process.env),
  })
  const own = (...argv: string[]) => command({ binary: lab.binary, config: file }, db, argv)
  const { key } = await own("admin-key", "create", "--name", "days")
  const { url } = service.server
  return {
    url,
    writeConfig,
    clock: {
      /** Lets a day pass. The clock stands still at its end, so that the next day never begins before a late answer. */
      runDay(fromMs: number) {
        ;[originMs, realMs, factor, lastMs] = [fromMs, systemClock.monotonicMs(), speed, fromMs + dayMs - 1]
      },
    },
    command: own,
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
      // The export has a record on each line.
      return path.endsWith("/export") ? {} : JSON.parse(text)
    },
    /** The credits that were ever charged, by account. */
    booked: () => readBooks(db),
  }
}

async function startDatabase(lab: Lab): Promise<string> {
  const server = await createServer(join(lab.directory, "database"), ["-c", "fsync=off"])
  await server.start()
  lab.cleanUp(() => server.stop())
  return server.url
}

function writeApi(apis: string): void {
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
  examples: [{ name: "A call", input: {}, output: { version: 1 } }],
  run: () => ({ version: 1 }),
})
`,
  )
}
