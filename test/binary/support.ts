import { afterAll, expect, onTestFinished } from "bun:test"
import { existsSync, readFileSync, readlinkSync, realpathSync } from "node:fs"
import { join } from "node:path"
import { runProgram } from "../support/run-program.ts"
import { until } from "../support/until.ts"
import { checkAnswersOf } from "./answer-checks.ts"

const name = process.platform === "win32" ? "penknife.exe" : "penknife"

/** The executable that `bun run build` makes. */
export const binary = join(import.meta.dir, "../../dist", name)

if (!existsSync(binary)) throw new Error("There is no dist/penknife: run 'bun run build' first.")

/** Runs the executable to its end. */
export const run = (argv: readonly string[], env: Record<string, string> = {}) =>
  runProgram([binary, ...argv], { env: { ...process.env, ...env } })

/** Runs the executable with --json and reads what it prints. */
export async function runJson(...argv: string[]) {
  const { code, out, err } = await run([...argv, "--json"])
  if (code !== 0) throw new Error(`penknife ${argv.join(" ")} ended with ${code}: ${err}`)
  return JSON.parse(out)
}

/** Starts a server in a test. Resolves once it has said where it listens; the server ends with the test, however that ends. */
export async function start(argv: readonly string[], env: Record<string, string> = {}) {
  const options = { stdout: "pipe", stderr: "pipe", env: { ...process.env, ...env } } as const
  const server = await watch(Bun.spawn([binary, ...argv, "--json"], options))
  checkAnswersOf(server.url, argv)
  return server
}

/** {@link start} with the command that serves a data file on a free port. */
export const serve = (db: string, ...flags: string[]) => start(["serve", "--port", "0", "--db", db, ...flags])

/** Starts a service for all tests of a file. It stops after them, and has to end with exit code 0. */
export const serveForFile = (db: string, ...more: readonly string[]) =>
  startForFile(["serve", "--port", "0", "--db", db, ...more])

/** Starts a server for all tests of a file, like {@link serveForFile}. */
export async function startForFile(argv: readonly string[]) {
  const server = await listen(Bun.spawn([binary, ...argv, "--json"], { stdout: "pipe", stderr: "pipe" }))
  checkAnswersOf(server.url, argv)
  afterAll(async () => expect(await server.stop()).toBe(0))
  return server
}

/** The same as {@link start} for a server that something else starts, such as a shell. */
export async function watch(child: Bun.Subprocess<"ignore", "pipe", "pipe">) {
  const workers = new Set<number>()
  let whole: Promise<unknown> = child.exited
  onTestFinished(async () => {
    // Workers are killed, too: a broken worker may not notice that its supervisor is gone.
    for (const pid of childrenOf(child.pid)) workers.add(pid)
    child.kill("SIGKILL")
    for (const pid of workers) if (isOurs(pid)) kill(pid)
    await Promise.all([whole, child.exited])
    // Pipes close a moment before their process is gone.
    await until(() => ![...workers].some(isOurs))
  })
  const server = await listen(child)
  // Listed now, since the runner may kill the supervisor before the test's end, and then its workers cannot be found.
  for (const pid of childrenOf(child.pid)) workers.add(pid)
  whole = server.stderr
  return server
}

async function listen(child: Bun.Subprocess<"ignore", "pipe", "pipe">) {
  const stdout = read(child.stdout)
  const stderr = read(child.stderr)
  await stdout.until("\n").catch(async () => {
    throw new Error(`it ended before it listened: ${await stderr.whole}`)
  })
  const [line = ""] = stdout.text().split("\n")
  const event = JSON.parse(line) as { event: string; url: string; pid: number }
  return {
    child,
    event,
    url: event.url,
    /** Resolves when it has written this to stderr. */
    wrote: stderr.until,
    /** Everything it wrote, once it has ended. */
    stdout: stdout.whole,
    stderr: stderr.whole,
    /** Ends it as an operator would, and returns the exit code. */
    async stop(signal: NodeJS.Signals = "SIGTERM") {
      child.kill(signal)
      return child.exited
    },
  }
}

/** Child processes, as Linux lists them; an empty list on other systems or when the process is gone. */
export function childrenOf(pid: number): number[] {
  const list = seen(() => readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8"))
  return (list ?? "").split(" ").filter(Boolean).map(Number)
}

/** Whether a process exists and has not ended. */
export function isAlive(pid: number): boolean {
  const stat = seen(() => readFileSync(`/proc/${pid}/stat`, "utf8"))
  return stat !== null && !/\) [ZX] /.test(stat)
}

/** Whether a process runs the executable. Another process may have the number of one that has ended. */
function isOurs(pid: number): boolean {
  if (!isAlive(pid)) return false
  const program = seen(() => readlinkSync(`/proc/${pid}/exe`))
  // A process that is ending has no program a moment before it is gone.
  return program === null ? isAlive(pid) : program === realpathSync(binary)
}

function kill(pid: number): void {
  seen(() => process.kill(pid, "SIGKILL"))
}

/** The result of `look`; null when its process has ended in the meantime. */
function seen<T>(look: () => T): T | null {
  try {
    return look()
  } catch (thrown) {
    if (thrown instanceof Error && "code" in thrown && ["ENOENT", "ESRCH"].includes(String(thrown.code)))
      return null
    throw thrown
  }
}

/** Reads a stream as it comes, so that its writer never has to wait. */
function read(stream: ReadableStream<Uint8Array>) {
  let text = ""
  let ended = false
  let waiting: (() => void)[] = []
  const wake = () => {
    for (const resolve of waiting) resolve()
    waiting = []
  }
  const whole = (async () => {
    const decoder = new TextDecoder()
    for await (const chunk of stream) {
      text += decoder.decode(chunk, { stream: true })
      wake()
    }
    ended = true
    wake()
    return text
  })()
  return {
    whole,
    text: () => text,
    /** Resolves when `part` has come `count` times. Rejects when the stream ends before. */
    async until(part: string, count = 1): Promise<void> {
      while (text.split(part).length <= count) {
        if (ended) throw new Error(`${JSON.stringify(part)} is not in ${JSON.stringify(text)}`)
        await new Promise<void>((resolve) => waiting.push(resolve))
      }
    },
  }
}
