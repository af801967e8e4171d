import { Database } from "bun:sqlite"
import { existsSync, mkdtempSync, readFileSync, realpathSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { basename, join } from "node:path"
import { createCustomers, readBooks } from "../books.ts"
import { createInstance } from "../instance.ts"
import { type Books, checkImage, timeOf } from "../power/check-image.ts"
import { createDisk, type Kept } from "../power/disk.ts"
import { type DiskEvent, readRecord, recordFlags } from "../power/disk-record.ts"
import { straceCostMs, stracePath } from "../power/strace.ts"
import { childrenOf, signalAll } from "../processes.ts"
import { type Call, type Customer, mixedCalls, startTraffic } from "../traffic.ts"
import { count, type Lab, none, type Trial } from "../trial.ts"

const imagesOfRound = 100
const trafficMs = 2_500
const lostLimitMs = 150
/** The thread empties the log at 16 MB. So little is missing that it does so in each round. */
const filledBytes = 16_300_000
const dayMs = 86_400_000

/** The state of the data file and its log on the disk. In two of the states one file lost all that was not flushed. */
const kept: readonly (readonly [Kept, Kept])[] = [
  ["all", "all"],
  ["nothing", "nothing"],
  ["nothing", "all"],
  ["all", "nothing"],
  [4_096, 4_096],
  [512, 512],
  [512, 512],
  [512, "all"],
  ["all", 512],
]

export const powercuts: Trial = {
  name: "powercuts",
  title:
    "power cuts: the data file as a disk may have it at any moment under load, checkpoints and prunes included",
  rounds: 20,
  async run(lab) {
    const strace = stracePath()
    const costMs = await straceCostMs(strace, lab.directory)
    const random = randomBelow()
    const db = join(realpathSync(lab.directory), "power.db")
    const customers = await createCustomers(db, 6, "ample")
    const results: Cut[] = []
    for (let round = 0; round < lab.rounds; round++) {
      const recorded = await record(lab, { strace, db, customers, round })
      const cuts = cutPower(recorded, db, random)
      const lost = cuts.map(({ lostMs }) => lostMs)
      lab.say(
        `round ${round + 1}: ${recorded.events.length} events, oldest lost answer ${Math.max(...lost).toFixed(0)} ms`,
      )
      for (const { problem } of cuts) if (problem !== null) lab.say(problem)
      results.push(...cuts)
    }
    const net = results.map(({ lostMs, calls }) => Math.max(0, lostMs - calls * costMs))
    return [
      count("images", results.length, lab.rounds * imagesOfRound),
      count(
        "images during a checkpoint",
        results.filter(({ isInCheckpoint }) => isInCheckpoint).length,
        lab.rounds,
      ),
      none(
        "images damaged, or charged beyond the answers",
        results.filter(({ problem }) => problem !== null).length,
      ),
      count("images that lost an answer", net.filter((ms) => ms > 0).length, 1),
      count("oldest lost answer, ms", Math.max(...results.map(({ lostMs }) => lostMs))),
      count("time that strace adds to a call, ms", costMs),
      {
        what: "oldest lost answer without the time of strace, ms",
        value: Math.max(...net),
        range: null,
        goal: { atMost: lostLimitMs },
      },
    ]
  },
}

interface Recorded {
  readonly files: ReadonlyMap<string, Buffer>
  readonly before: Books
  readonly calls: readonly Call[]
  readonly events: readonly DiskEvent[]
  /** When the first call of a client began. */
  readonly startMs: number
}

interface RecordOptions {
  readonly strace: string
  readonly db: string
  readonly customers: readonly Customer[]
  readonly round: number
}

/** Runs a service under load, and records its writes and flushes and those of `audit prune`. */
async function record(lab: Lab, { strace, db, customers, round }: RecordOptions): Promise<Recorded> {
  const beside = new Database(db)
  beside.run("PRAGMA wal_checkpoint(TRUNCATE)")
  // Keeps the log from being emptied at the start, so that this happens under load.
  const reader = new Database(db)
  reader.run("BEGIN")
  reader.query("SELECT count(*) FROM accounts").get()
  fillLog(beside, db)
  const read = (file: string) => readFileSync(file)
  const files = new Map([db, `${db}-wal`].map((file) => [basename(file), read(file)]))
  const before = await readBooks(db)
  const traced = (name: string) => {
    const output = join(lab.directory, `${name}-${round}`)
    return { output, command: [strace, ...recordFlags(output, [db, `${db}-wal`, lab.directory])] }
  }
  const serving = traced("serve")
  const instance = await createInstance({ ...lab, db, under: serving.command })
  await instance.start()
  const end = () => signalAll(childrenOf(instance.pid), "SIGKILL")
  lab.cleanUp(async () => (existsSync(`/proc/${instance.pid}`) ? end() : undefined))
  reader.close()
  beside.close()
  const startMs = timeOf(performance.now())
  const traffic = startTraffic({ instances: [instance], customers, requests: mixedCalls })
  await Bun.sleep(trafficMs / 3)
  const pruning = traced("prune")
  const prune = Bun.spawn(
    [...pruning.command, lab.binary, "audit", "prune", "--keep-audit", "1", "--db", db],
    { env: { ...process.env, PENKNIFE_CONFIG: lab.config }, stdout: "ignore", stderr: "pipe" },
  )
  if ((await prune.exited) !== 0) throw new Error(`audit prune failed: ${await prune.stderr.text()}`)
  await Bun.sleep(trafficMs / 2)
  end()
  await instance.stop()
  await traffic.stop()
  const events = [serving, pruning].flatMap(({ output }) => readRecord(output))
  for (const { output } of [serving, pruning]) rmSync(output)
  return {
    files,
    before,
    calls: traffic.calls,
    startMs,
    events: events.sort((one, other) => one.atMs - other.atMs),
  }
}

/** Fills the log of a data file, so that a checkpoint comes soon, and adds old audit records for `audit prune`. */
function fillLog(database: Database, db: string): void {
  database.run("PRAGMA busy_timeout = 30000")
  database.run("PRAGMA wal_autocheckpoint = 0")
  database.run("CREATE TABLE IF NOT EXISTS filler (bytes BLOB)")
  const old = database.query(
    `INSERT INTO audit SELECT 'old_' || lower(hex(randomblob(8))), ?1, actor, actor_name, 'keys.create', target_kind,
     target_id, account_id, before_json, after_json, source, request_id FROM audit LIMIT 1`,
  )
  for (let number = 0; number < 300; number++) old.run(Date.now() - 30 * dayMs)
  while (Bun.file(`${db}-wal`).size < filledBytes) {
    database.run("DELETE FROM filler")
    database.run("INSERT INTO filler VALUES (randomblob(400000))")
  }
}

interface Cut {
  readonly problem: string | null
  /** How old the oldest answer was whose charge is lost; 0 if none is. */
  readonly lostMs: number
  /** The recorded calls since that answer. */
  readonly calls: number
  readonly isInCheckpoint: boolean
}

/** Builds and checks images at moments of a record. Every second one is during a checkpoint. */
function cutPower(
  { files, before, calls, events, startMs }: Recorded,
  db: string,
  random: (below: number) => number,
): readonly Cut[] {
  const folder = mkdtempSync(join(existsSync("/dev/shm") ? "/dev/shm" : tmpdir(), "penknife-power-"))
  const disk = createDisk(files, basename(join(db, "..")))
  const first = events.findIndex(({ atMs }) => atMs > startMs)
  const ofData = events.flatMap(({ call }, index) =>
    call.file === basename(db) && index >= first ? [index] : [],
  )
  const [from, to] = [ofData[0] ?? first, (ofData.at(-1) ?? first) + 1]
  const moments = Array.from({ length: imagesOfRound }, (_, number) =>
    number % 2 === 0 ? from + random(to - from) : first + random(events.length - first),
  ).sort((one, other) => one - other)
  const cuts: Cut[] = []
  try {
    let next = 0
    for (const [number, moment] of moments.entries()) {
      for (; next <= moment; next++) {
        const event = events[next]
        if (event) disk.apply(event)
      }
      const cutMs = events[moment]?.atMs ?? 0
      const [ofFile, ofLog] = kept[(number + random(kept.length)) % kept.length] ?? ["all", "all"]
      const images = {
        data: disk.image(basename(db), ofFile, random),
        log: disk.image(`${basename(db)}-wal`, ofLog, random),
      }
      const { problem, oldestLostMs } = checkImage(join(folder, "image.db"), images, before, calls, cutMs)
      const since = oldestLostMs ?? cutMs
      cuts.push({
        problem: problem && `event ${moment}, data file ${ofFile}, log ${ofLog}: ${problem}`,
        lostMs: cutMs - since,
        calls: events.filter(({ atMs, isEnd }) => !isEnd && atMs > since && atMs <= cutMs).length,
        isInCheckpoint: ofData.length > 0 && moment >= from && moment < to,
      })
    }
  } finally {
    rmSync(folder, { recursive: true })
  }
  return cuts
}

/** Whole numbers below an argument; the same ones each time, since each begins with the hash of the one before. */
function randomBelow(): (below: number) => number {
  let state = 1n
  return (below) => {
    state = Bun.hash.wyhash(String(state))
    return Number(state % BigInt(below))
  }
}
