import { type ChildProcessByStdio, spawn } from "node:child_process"
import type { Readable, Writable } from "node:stream"
import { findCommand } from "./command.ts"
import type { MockOptions } from "./start-mock.ts"

export interface MockProcess {
  readonly url: string
  readonly key: string
  readonly ca: string | null
  readonly pid: number
  stop(): Promise<void>
}

type Child = ChildProcessByStdio<Writable, Readable, Readable>

/** What is kept of the mock's log, for the message when it does not start. */
const maxLog = 16_384

/**
 * Runs `penknife mock`. It is ready when it has printed where it listens, and its standard input is a pipe that closes
 * with this process, so that it never outlives a test run that was killed.
 */
export async function startProcess(options: MockOptions): Promise<MockProcess> {
  const [program, ...args] = options.command ?? findCommand()
  const child = spawn(program, [...args, ...argumentsOf(options)], { stdio: ["pipe", "pipe", "pipe"] })
  const exited = new Promise<void>((resolve) => {
    child.once("exit", () => resolve())
    child.once("error", () => resolve())
  })
  // Broken when the mock ends first; its end is what is waited for.
  child.stdin.on("error", () => {})
  const { url, key, ca = null, pid } = await readEvent(child, program)
  letEnd(child)
  return {
    url,
    key,
    ca,
    pid,
    async stop() {
      child.ref()
      child.stdin.end()
      child.kill("SIGTERM")
      await exited
    },
  }
}

function argumentsOf({ seedTime, dns, plan, tls, graphql }: MockOptions): string[] {
  return [
    ...["mock", "--port", "0", "--json", "--stop-with-stdin"],
    ...(seedTime === undefined ? [] : ["--seed-time", seedTime]),
    ...(dns === undefined ? [] : ["--dns", dns]),
    ...(plan === undefined ? [] : ["--plan", plan]),
    ...(graphql === false ? ["--no-graphql"] : []),
    ...(tls === undefined ? [] : ["--tls-self-signed", tls.join(",")]),
  ]
}

interface Listening {
  readonly url: string
  readonly key: string
  readonly ca?: string
  readonly pid: number
}

function readEvent(child: Child, program: string): Promise<Listening> {
  return new Promise((resolve, reject) => {
    let out = ""
    let log = ""
    child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
      out += chunk
      const end = out.indexOf("\n")
      if (end === -1) return
      try {
        resolve(JSON.parse(out.slice(0, end)) as Listening)
      } catch {
        child.kill("SIGKILL")
        reject(new Error(`${program} is no penknife: it printed '${out.slice(0, Math.min(end, 200))}'`))
      }
    })
    child.stderr.setEncoding("utf8").on("data", (chunk: string) => {
      log = (log + chunk).slice(-maxLog)
    })
    child.once("error", (cause) => reject(new Error(`${program} cannot be run: ${cause.message}`, { cause })))
    child.once("close", (code) => reject(new Error(`${program} mock ended with ${code}: ${log.trim()}`)))
  })
}

/** Lets the test process end although the mock is still there; then the mock ends too. */
function letEnd(child: Child): void {
  child.unref()
  for (const stream of [child.stdin, child.stdout, child.stderr]) {
    if ("unref" in stream && typeof stream.unref === "function") stream.unref()
  }
}
