/** The `penknife` command of the npm package: runs penknife with the same arguments and ends with its exit code. */
import { spawn, spawnSync } from "node:child_process"
import { readFileSync } from "node:fs"
import { findCommand } from "./command.ts"

/** A mock ends this long after the program that started it, at most. */
const checkMs = 250
/** The shell of `npx`, `npx`, and the program that started it. */
const generations = 3

try {
  run(findCommand())
} catch (thrown) {
  fail(thrown)
}

function run([program, ...args]: readonly [string, ...string[]]): void {
  const own = process.argv.slice(2)
  // A mock ends with this process, whatever ends it: the pipe closes then.
  const isMock = own[0] === "mock"
  const child = isMock
    ? spawn(program, [...args, ...own, "--stop-with-stdin"], { stdio: ["pipe", "inherit", "inherit"] })
    : spawn(program, [...args, ...own], { stdio: "inherit" })
  if (isMock) endWithNpm()
  // A signal that was sent to this process alone is meant for penknife.
  for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) process.on(signal, () => child.kill(signal))
  child.once("error", fail)
  child.once("exit", (code, signal) => {
    if (signal === null) process.exit(code ?? 1)
    process.removeAllListeners(signal)
    process.kill(process.pid, signal)
  })
}

function fail(thrown: unknown): void {
  console.error(`penknife: ${thrown instanceof Error ? thrown.message : String(thrown)}`)
  process.exit(1)
}

/**
 * Under npm or npx, ends this process when its parent, npm, or the program that started npm has ended: they do not pass on how
 * they end, so a test or a shell that is killed would leave the mock behind. Started in another way, it runs on: a step of a CI
 * job may end before the mock that it started.
 */
function endWithNpm(): void {
  if (process.env.npm_execpath === undefined && process.env.npm_command === undefined) return
  const parent = process.ppid
  const older = ancestorsOf(parent, generations - 1)
  setInterval(() => {
    if (process.ppid !== parent || !older.every(isRunning)) process.exit(0)
  }, checkMs).unref()
}

/** The parent of a process, its parent and so on, without the first process of the system, which never ends. */
function ancestorsOf(pid: number, count: number): readonly number[] {
  const parent = count > 0 ? parentOf(pid) : null
  return parent !== null && parent > 1 ? [parent, ...ancestorsOf(parent, count - 1)] : []
}

function parentOf(pid: number): number | null {
  const stat = statOf(pid)
  const text =
    stat?.parent ?? spawnSync("ps", ["-o", "ppid=", "-p", String(pid)], { encoding: "utf8" }).stdout
  return Number.parseInt(text ?? "", 10) || null
}

function isRunning(pid: number): boolean {
  const stat = statOf(pid)
  // A process that nobody has waited for yet is a zombie.
  if (stat) return !/[ZX]/.test(stat.state)
  if (process.platform === "linux") return false
  try {
    process.kill(pid, 0)
    return true
  } catch (thrown) {
    // It may belong to another user.
    return thrown instanceof Error && "code" in thrown && thrown.code === "EPERM"
  }
}

/** The state of a process on Linux; null if there is no such process, and on other systems. */
function statOf(pid: number): { readonly state: string; readonly parent: string } | null {
  try {
    // The name before it is in parentheses, and may have some (proc(5)).
    const [, state = "", parent = ""] =
      /.*\) (\S) (\d+)/s.exec(readFileSync(`/proc/${pid}/stat`, "utf8")) ?? []
    return { state, parent }
  } catch {
    return null
  }
}
