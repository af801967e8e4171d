import { join } from "node:path"
import { freePort } from "../../test/support/free-port.ts"

/** A process that is started, killed and stopped. */
interface RunningProcess {
  readonly pid: number
  /** SIGKILL. Resolves when it has ended. */
  kill(): Promise<void>
  /** SIGSTOP */
  pause(): void
  /** SIGCONT */
  resume(): void
  /** SIGTERM. Resolves when it has ended. */
  stop(): Promise<void>
}

/** A `penknife serve` that keeps its port when it is started again. */
export interface Instance extends RunningProcess {
  readonly url: string
  start(): Promise<void>
  /** The lines of its log since the first start. */
  readonly log: readonly string[]
}

interface InstanceOptions {
  readonly binary: string
  /** The URL of the database. */
  readonly db: string
  /** The file with plans. */
  readonly config: string
  /** The part of successful requests that is logged; 0 by default. */
  readonly logSample?: number
  /** More flags of `penknife serve`. */
  readonly flags?: readonly string[]
  /** A command that runs it, such as `strace` with flags. */
  readonly under?: readonly string[]
}

/** Prepares an instance on a free port. It does not run yet. */
export async function createInstance({
  binary,
  db,
  config,
  logSample = 0,
  flags: more = [],
  under = [],
}: InstanceOptions): Promise<Instance> {
  const port = freePort()
  const log: string[] = []
  const flags = ["--port", String(port), "--config", config, "--log-sample", String(logSample), ...more]
  const command = [...under, binary, "serve", ...flags, "--json"]
  let child = await Promise.resolve<Bun.Subprocess<"ignore", "pipe", "pipe"> | null>(null)
  const running = () => {
    if (!child) throw new Error("the instance was not started")
    return child
  }
  return {
    url: `http://127.0.0.1:${port}`,
    log,
    get pid() {
      return running().pid
    },
    async start() {
      child = Bun.spawn(command, { stdout: "pipe", stderr: "pipe", env: { ...process.env, PENKNIFE_DB: db } })
      void keepLines(child.stderr, log)
      await untilItSays(child, '"listening"', log)
    },
    ...signalsTo(running),
  }
}

/** Starts a process that passes connections to a port, and returns the port that it listens on. */
export async function startProxy(to: number): Promise<RunningProcess & { readonly port: number }> {
  const port = freePort()
  const command = [process.execPath, join(import.meta.dir, "proxy.ts"), String(port), String(to)]
  const child = Bun.spawn(command, { stdout: "pipe", stderr: "pipe" })
  await untilItSays(child, "ready", [])
  return { port, pid: child.pid, ...signalsTo(() => child) }
}

function signalsTo(running: () => Bun.Subprocess): Omit<RunningProcess, "pid"> {
  const end = async (signal: NodeJS.Signals) => {
    running().kill(signal)
    await running().exited
  }
  return {
    kill: () => end("SIGKILL"),
    pause: () => running().kill("SIGSTOP"),
    resume: () => running().kill("SIGCONT"),
    stop: () => end("SIGTERM"),
  }
}

async function untilItSays(
  child: Bun.Subprocess<"ignore", "pipe", "pipe">,
  text: string,
  log: readonly string[],
): Promise<void> {
  const decoder = new TextDecoder()
  const reader = child.stdout.getReader()
  for (let said = ""; !said.includes(text); ) {
    const { done, value } = await reader.read()
    if (done) throw new Error(`a process ended before it said ${text}: ${log.slice(-5).join("\n")}`)
    said += decoder.decode(value, { stream: true })
  }
  reader.releaseLock()
}

async function keepLines(stream: ReadableStream<Uint8Array>, lines: string[]): Promise<void> {
  const decoder = new TextDecoder()
  let rest = ""
  for await (const chunk of stream) {
    const parts = (rest + decoder.decode(chunk, { stream: true })).split("\n")
    rest = parts.pop() ?? ""
    lines.push(...parts)
  }
}
