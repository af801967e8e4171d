import { type ChildProcessByStdio, spawn } from "node:child_process"
import { createInterface } from "node:readline"
import type { Readable, Writable } from "node:stream"

/** A mock that runs as a child process. */
export interface MockProcess {
  readonly url: string
  readonly key: string
  /** The certificate of the mock's authority (PEM); null for plain HTTP. */
  readonly ca: string | null
  readonly pid: number
  /** Where the webhooks of the accounts go, the secret that signs them, and why none are sent; null without one. */
  readonly webhook: { readonly url: string; readonly secret: string; readonly reason: string | null } | null
  /** How it differs from the service of `--like`, a sentence each. */
  readonly differences: readonly string[]
  /** Stops the process; resolves when it has ended. */
  stop(): Promise<void>
}

type Child = ChildProcessByStdio<Writable, Readable, Readable>

/** How many characters of the log are kept for the error message when the mock does not start. */
const maxLog = 16_384

/**
 * Runs a command that is `penknife mock --json`, and resolves when it has printed where it listens. Its standard input is a
 * pipe that closes when this process ends, so the mock ends too when a test run is killed.
 * @throws Error when the command cannot be run, prints something else or ends; the message holds its log
 */
export async function startProcess(command: readonly [string, ...string[]]): Promise<MockProcess> {
  const [program, ...args] = command
  const child = spawn(program, args, { stdio: ["pipe", "pipe", "pipe"], env: withoutSettings(process.env) })
  const exited = new Promise<void>((resolve) => {
    child.once("exit", () => resolve())
    child.once("error", () => resolve())
  })
  // The pipe breaks when the mock ends first; `exited` already reports that.
  child.stdin.on("error", () => {})
  const { url, key, ca = null, pid, differences = [], webhook = null } = await readEvent(child, program)
  unref(child)
  async function stop(): Promise<void> {
    child.ref()
    child.stdin.end()
    child.kill("SIGTERM")
    await exited
  }
  return { url, key, ca, pid, differences, webhook, stop }
}

/** The settings of the shell are meant for services that are started there, not for the mock of a test. */
function withoutSettings(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const isSetting = (name: string) => /^PENKNIFE_(?!BIN$)/i.test(name)
  return Object.fromEntries(Object.entries(env).filter(([name]) => !isSetting(name)))
}

type Listening = Pick<MockProcess, "url" | "key" | "pid"> & Partial<MockProcess>

function readEvent(child: Child, program: string): Promise<Listening> {
  return new Promise((resolve, reject) => {
    let log = ""
    child.stderr.setEncoding("utf8").on("data", (chunk: string) => {
      log = (log + chunk).slice(-maxLog)
    })
    createInterface({ input: child.stdout }).once("line", (line) => {
      try {
        resolve(JSON.parse(line) as Listening)
      } catch {
        child.kill("SIGKILL")
        reject(new Error(`${program} is not penknife: it printed '${line.slice(0, 200)}'`))
      }
    })
    child.once("error", (cause) => reject(new Error(`${program} cannot be run: ${cause.message}`, { cause })))
    child.once("close", (code) => reject(new Error(`${program} mock ended with ${code}: ${log.trim()}`)))
  })
}

/** Lets the test process end while the mock still runs; the mock then ends too. */
function unref(child: Child): void {
  child.unref()
  for (const stream of [child.stdin, child.stdout, child.stderr]) {
    if ("unref" in stream && typeof stream.unref === "function") stream.unref()
  }
}
