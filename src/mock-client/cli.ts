/** The `penknife` command of the npm package: runs penknife with the same arguments and ends with its exit code. */
import { spawn } from "node:child_process"
import { endWithNpm } from "./ancestors.ts"
import { findCommand } from "./command.ts"

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
