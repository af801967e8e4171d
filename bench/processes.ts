import { readdirSync, readFileSync } from "node:fs"
import { availableParallelism } from "node:os"

/** The cores that this process may use. With only one, servers and load share it. */
export const coreCount = availableParallelism()

/** The load comes from the last core, so that it does not slow down the servers. */
export const loadCores = [coreCount - 1]

/** A server that is measured. */
export interface ServerProcess {
  readonly url: string
  readonly pid: number
  /** Sends SIGTERM and waits for the end. */
  stop(): Promise<void>
}

/**
 * Starts a server on `cores`. Resolves when it has printed `{"event":"listening","url":…}`, as `penknife serve --json`
 * and the baselines do. Its log is discarded.
 */
export async function startServer(
  command: readonly string[],
  cores: readonly number[] = [0],
): Promise<ServerProcess> {
  const child = Bun.spawn(pinned(command, cores), { stdout: "pipe", stderr: "ignore" })
  const line = await firstLine(child.stdout)
  if (line === null) throw new Error(`${command.join(" ")} ended with ${await child.exited}`)
  const { url } = JSON.parse(line) as { url: string }
  return {
    url,
    pid: child.pid,
    async stop() {
      child.kill("SIGTERM")
      await child.exited
    },
  }
}

/** The command, bound to `cores` if the machine has taskset and more than one core. */
export function pinned(command: readonly string[], cores: readonly number[]): string[] {
  if (coreCount < 2 || Bun.which("taskset") === null) return [...command]
  return ["taskset", "-c", cores.join(","), ...command]
}

/** Resident memory, and processor time since the start, of a process and its children. */
export interface Usage {
  readonly residentMb: number
  readonly cpuMs: number
}

/** Linux only. */
export function usageOf(pid: number): Usage {
  const processes = withChildren(pid)
  return {
    residentMb: sum(processes.map(residentKb)) / 1024,
    cpuMs: sum(processes.map(cpuTicks)) * (1_000 / ticksPerSecond),
  }
}

/** USER_HZ of proc(5): 100 on every Linux that Bun runs on. */
const ticksPerSecond = 100

function residentKb(pid: number): number {
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0)
}

/** Fields 14 and 15 of stat in proc(5). The name of the command before them may contain spaces and brackets. */
function cpuTicks(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8")
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ")
  return Number(fields[11]) + Number(fields[12])
}

function withChildren(pid: number): number[] {
  const children = readdirSync(`/proc/${pid}/task`).flatMap((task) =>
    readFileSync(`/proc/${pid}/task/${task}/children`, "utf8").trim().split(" ").filter(Boolean).map(Number),
  )
  return [pid, ...children.flatMap(withChildren)]
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0)
}

async function firstLine(stream: ReadableStream<Uint8Array>): Promise<string | null> {
  const reader = stream.getReader()
  const decoder = new TextDecoder()
  let text = ""
  while (!text.includes("\n")) {
    const { done, value } = await reader.read()
    if (done) return null
    text += decoder.decode(value, { stream: true })
  }
  reader.releaseLock()
  return text.slice(0, text.indexOf("\n"))
}
