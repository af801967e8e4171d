import type { FromWorker } from "../../observe/siblings.ts"
import type { WorkerProcess } from "./supervisor.ts"

/**
 * Starts a worker: the same command line in a process of its own, which says where it listens as JSON on stdout. Its
 * stdin is a pipe that closes with this process, so that no worker outlives its supervisor.
 * @param port the port it has to join, or null where it may choose as the command line says
 */
export function spawnWorker(
  program: readonly string[],
  argv: readonly string[],
  port: number | null,
  env: Record<string, string | undefined>,
): WorkerProcess {
  const own = argv.filter((argument) => argument !== "--demo" && argument !== "--json")
  const overrides = ["--workers", "1", "--json", ...(port === null ? [] : ["--port", String(port)])]
  let listener: (message: FromWorker) => void = () => {}
  const child = Bun.spawn([...program, ...own, ...overrides], {
    stdin: "pipe",
    stdout: "pipe",
    stderr: "inherit",
    env,
    serialization: "json",
    ipc: (message) => listener(message as FromWorker),
  })
  return {
    listening: readUrl(child.stdout),
    exited: child.exited,
    reload: () => child.kill("SIGHUP"),
    stop: () => child.kill("SIGTERM"),
    kill: () => child.kill("SIGKILL"),
    send(message) {
      if (child.exitCode === null && child.signalCode === null) child.send(message)
    },
    onMessage(next) {
      listener = next
    },
  }
}

async function readUrl(stdout: ReadableStream<Uint8Array>): Promise<string> {
  let text = ""
  const decoder = new TextDecoder()
  for await (const chunk of stdout) {
    text += decoder.decode(chunk, { stream: true })
    const end = text.indexOf("\n")
    if (end !== -1) return (JSON.parse(text.slice(0, end)) as { url: string }).url
  }
  throw new WorkerFailed("A worker ended before it listened; its message stands above.")
}

/** A worker did not come up, or did not stop. */
export class WorkerFailed extends Error {
  override readonly name = "WorkerFailed"
}
