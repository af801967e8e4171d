import { edenGC, fullGC, gcAndSweep } from "bun:jsc"
import { once } from "../values/once.ts"

/** The name of this machine. */
export const hostName = (): string => nodeOs().hostname()

/** The person or program that runs a command, for the audit log: the system's user and the name of this machine. */
export const currentOperator = () => ({ user, host: hostName() })
const user = once(userName)

/** Asks `id`, since Bun's `userInfo` believes the environment. In a container the user's number may have no name. */
function userName(): string {
  if (process.getuid === undefined) return nodeOs().userInfo().username
  const id = Bun.which("id")
  const { stdout } = id === null ? { stdout: "" } : Bun.spawnSync([id, "-un"], { stderr: "ignore" })
  return stdout.toString().trim() || `uid ${process.getuid()}`
}

/** Returns `node:os`, loaded when it is first needed: it lists the processors, which would take a twentieth of each start. */
export const nodeOs = () => process.getBuiltinModule("node:os")

/** Frees the memory of values that are no longer used. It blocks the process, for longer the more is in use: call it seldom. */
export function collectGarbage(): void {
  Bun.gc(true)
}

/** {@link collectGarbage} that keeps compiled code, which a thread would have to compile again. */
export function collectValues(): void {
  fullGC()
}

/** {@link collectValues} that also gives the memory back, which takes three times as long: else the thread keeps it for long. */
export function giveBackValues(): void {
  gcAndSweep()
}

/** {@link collectGarbage} of values made since the last collection: a millisecond or two. Older values stay. */
export function collectNewGarbage(): void {
  edenGC()
}

/** The memory of this process, as the system counts it. */
export type MemoryUse = NonNullable<ReturnType<typeof readMemoryUse>>

/** The memory of this process on Linux; null on other systems, which do not count it by thread. */
export function readMemoryUse() {
  if (process.platform !== "linux") return null
  const { readFileSync } = process.getBuiltinModule("node:fs")
  return {
    /** Memory of the process that is in the machine's memory now. */
    residentBytes: () => process.memoryUsage.rss(),
    /** How often threads of the process touched a page that was not in memory. */
    faults: () => faultsIn(readFileSync("/proc/self/stat", "latin1")),
    /** The same of one thread; 0 when it has ended. */
    faultsOf(thread: number) {
      try {
        return faultsIn(readFileSync(`/proc/self/task/${thread}/stat`, "latin1"))
      } catch {
        return 0
      }
    },
  }
}

/** `minflt` of proc_pid_stat(5). The name before it may have spaces and brackets. */
function faultsIn(stat: string): number {
  return Number(stat.slice(stat.lastIndexOf(")")).split(" ")[8])
}

/** The processor time of a thread of this process in milliseconds; null where the system does not tell. */
export function threadMs(thread: number): number | null {
  if (process.platform !== "linux" || thread === 0) return null
  try {
    // The first number is the time in nanoseconds (Documentation/scheduler/sched-stats.rst of Linux).
    const [ns] = process
      .getBuiltinModule("node:fs")
      .readFileSync(`/proc/self/task/${thread}/schedstat`, "latin1")
      .split(" ")
    return Number(ns) / 1_000_000
  } catch {
    // It has just ended.
    return null
  }
}

/** The processor time of the calling thread in milliseconds. */
export function ownThreadMs(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1_000
}

/** The id of the calling thread in the system; 0 where it is not known. */
export function currentThread(): number {
  if (process.platform !== "linux") return 0
  return Number(process.getBuiltinModule("node:fs").readlinkSync("/proc/thread-self").split("/").at(-1))
}
