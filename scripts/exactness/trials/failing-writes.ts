import { Database } from "bun:sqlite"
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import type { Finding } from "../../findings.ts"
import { type Comparison, chargeFindings, compare, createCustomers, readBooks, sum } from "../books.ts"
import { createInstance } from "../instance.ts"
import { stracePath } from "../power/strace.ts"
import { childrenOf, signalAll } from "../processes.ts"
import { type Call, type Customer, singleCalls, startTraffic } from "../traffic.ts"
import { count, type Lab, none, type Trial } from "../trial.ts"

const lastCall = 500
/** One run makes every fiftieth call fail. */
const step = 50
/** Each call of an API makes some writes, so that all clients together reach the last one. */
const callsForWrites = 120
/** A flush comes each 0.1 s at most, and the first that fails ends the service. */
const flushes = 10
const callsForFlushes = 4_000

/** The failure, as `strace` is told it. A write that writes nothing is the shortest of short writes. */
const failures: Readonly<Record<string, string>> = {
  "EIO of a write": "pwrite64:error=EIO",
  "ENOSPC of a write": "pwrite64:error=ENOSPC",
  "a short write": "pwrite64:retval=0",
  "EIO of a flush": "fdatasync,fsync:error=EIO",
}

export const failingWrites: Trial = {
  name: "failing-writes",
  title: `EIO, ENOSPC and short writes at each of the first ${lastCall} writes of a service with a data file, and EIO of flushes`,
  rounds: step,
  async run(lab) {
    const strace = stracePath()
    const db = join(lab.directory, "failing.db")
    const customers = await createCustomers(db, 3, "ample")
    const findings: Finding[] = []
    for (const [name, inject] of Object.entries(failures)) {
      const results: Run[] = []
      const isFlush = name.includes("flush")
      const rounds = isFlush ? Math.min(lab.rounds, flushes) : lab.rounds
      for (let first = 1; first <= rounds; first++) {
        // A start that fails has met only the first of its calls: the next one begins with the second.
        for (let from = first; from <= lastCall; from += step) {
          const result = await run(lab, {
            strace,
            db,
            customers,
            flag: `${inject}:when=${from}..${lastCall}+${step}`,
            callsOfClient: isFlush ? callsForFlushes : callsForWrites,
          })
          results.push(result)
          if (result.hasStarted) break
        }
      }
      lab.say(`${name}: ${results.length} runs`)
      const failed = sum(results.map((result) => result.failed))
      const atLeast = isFlush ? rounds : (rounds * lastCall) / step
      findings.push(
        count(`${name}: calls to the system that failed`, failed, atLeast),
        count(`${name}: starts that failed`, results.filter(({ hasStarted }) => !hasStarted).length),
        count(`${name}: calls refused with 503`, sum(results.map(({ refused }) => refused))),
        none(`${name}: answers other than 200 and 503`, sum(results.map(({ others }) => others))),
        none(`${name}: damaged files`, results.filter(({ isDamaged }) => isDamaged).length),
        ...chargeFindings(results, `${name}: `),
      )
    }
    return findings
  },
}

interface Run extends Pick<Comparison, "unpaid" | "unexplained"> {
  readonly hasStarted: boolean
  readonly failed: number
  readonly refused: number
  readonly others: number
  readonly isDamaged: boolean
}

interface RunOptions {
  readonly strace: string
  readonly db: string
  readonly customers: readonly Customer[]
  readonly flag: string
  readonly callsOfClient: number
}

async function run(lab: Lab, { strace, db, customers, flag, callsOfClient }: RunOptions): Promise<Run> {
  const output = join(lab.directory, "failed")
  const paths = [db, `${db}-wal`].flatMap((file) => ["-P", file])
  const calls = ["-e", `trace=${flag.slice(0, flag.indexOf(":"))}`, "-e", `inject=${flag}`]
  const flags = ["-f", "--seccomp-bpf", "-s", "0", ...calls, ...paths, "-o", output]
  const before = await readBooks(db)
  const instance = await createInstance({ ...lab, db, under: [strace, ...flags] })
  const hasStarted = await instance.start().then(
    () => true,
    () => false,
  )
  const isRunning = () => existsSync(`/proc/${instance.pid}/task/${instance.pid}/children`)
  let made: readonly Call[] = []
  if (hasStarted) {
    const sent = new Map<string, number>()
    const isLast = ({ customer: { id } }: Call) => {
      sent.set(id, (sent.get(id) ?? 0) + 1)
      return sent.get(id) === callsOfClient || !isRunning()
    }
    const traffic = startTraffic({ instances: [instance], customers, requests: singleCalls, isLast })
    await traffic.ended
    made = traffic.calls
  }
  if (isRunning()) signalAll(childrenOf(instance.pid), "SIGKILL")
  await instance.stop()
  const after = await readBooks(db)
  const statuses = made.map(({ status }) => status).filter((status) => status !== null && status !== 200)
  return {
    hasStarted,
    failed: readFileSync(output, "latin1").split("(INJECTED)").length - 1,
    refused: statuses.filter((status) => status === 503).length,
    others: statuses.filter((status) => status !== 503).length,
    isDamaged: isDamaged(db),
    ...compare(made, before, after, Number.POSITIVE_INFINITY),
  }
}

function isDamaged(db: string): boolean {
  using database = new Database(db, { readonly: true })
  const found = ["integrity_check", "foreign_key_check"].flatMap((pragma) =>
    database.query<unknown[], []>(`PRAGMA ${pragma}`).values(),
  )
  return found.flat().join() !== "ok"
}
