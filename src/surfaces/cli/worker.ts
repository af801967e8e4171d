import type { FromSupervisor, FromWorker } from "../../observe/siblings.ts"

/** Ends a process whose disk did not confirm a flush. An exit would close the data file, which empties its log. */
export const unflushedSignal = "SIGUSR2"
/** How such an end is told on Linux: 128 and the number of the signal. */
export const unflushedCode = 140

/** The message of a worker that listens. */
export interface Listening {
  readonly url: string
}

/** A worker process, as its supervisor sees it. */
export type WorkerProcess = ReturnType<typeof spawnWorker>

/** A worker did not start to listen, or did not stop. */
export class WorkerFailed extends Error {
  override readonly name = "WorkerFailed"
}

/**
 * Starts the same command line as a worker, on `port` unless that is null; throws if the program cannot be run. The worker's
 * stdin is a pipe that closes when this process ends, so that no worker outlives its supervisor.
 */
export function spawnWorker(
  program: readonly string[],
  argv: readonly string[],
  port: number | null,
  env: Record<string, string | undefined>,
) {
  const own = argv.filter((argument) => argument !== "--demo" && argument !== "--json")
  const overrides = ["--workers", "1", "--json", ...(port === null ? [] : ["--port", String(port)])]
  let listener: (message: FromWorker) => void = () => {}
  let isConnected = true
  /** Does nothing if it has ended. Kills one that closed its channel, since no message reaches it. */
  function send(message: FromSupervisor): void {
    if (child.exitCode !== null || child.signalCode !== null) return
    if (isConnected) child.send(message)
    // An own API has closed descriptors of the process, and this channel was one of them.
    else child.kill("SIGKILL")
  }
  const child = Bun.spawn([...program, ...own, ...overrides], {
    stdin: "pipe",
    stdout: "pipe",
    stderr: "inherit",
    env,
    serialization: "json",
    ipc: (message) => listener(message as FromWorker),
    onDisconnect() {
      isConnected = false
    },
  })
  return {
    /** Resolves when it listens; rejects if it ends before. */
    listening: readListening(child.stdout),
    /** Resolves with the exit code. */
    exited: child.exited,
    /** Makes it read its certificate again. */
    reload: () => child.kill("SIGHUP"),
    /** Asks it to stop, which it does after the time of `--drain`. `kill` ends it at once. */
    stop: () => child.kill("SIGTERM"),
    /**
     * Asks it not to wait for that time. Not by a signal: a service manager, or a terminal on Ctrl+C, may send each signal to all
     * processes.
     */
    endDrain: () => send({ kind: "endDrain" }),
    kill: () => child.kill("SIGKILL"),
    send,
    /** Sets who receives its messages. Call it in the turn in which the worker was started, so that none is missed. */
    onMessage(next: (message: FromWorker) => void): void {
      listener = next
    },
  }
}

async function readListening(stdout: ReadableStream<Uint8Array>): Promise<Listening> {
  let text = ""
  const decoder = new TextDecoder()
  for await (const chunk of stdout) {
    text += decoder.decode(chunk, { stream: true })
    const end = text.indexOf("\n")
    if (end !== -1) return JSON.parse(text.slice(0, end)) as Listening
  }
  throw new WorkerFailed("A worker ended before it listened. Its own message is above.")
}
