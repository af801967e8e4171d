/** The `penknife` command of the npm package: runs penknife with the same arguments and ends with its exit code. */
import { spawn } from "node:child_process"
import { findCommand } from "./command.ts"

try {
  run(findCommand())
} catch (thrown) {
  fail(thrown)
}

function run([program, ...args]: readonly [string, ...string[]]): void {
  const child = spawn(program, [...args, ...process.argv.slice(2)], { stdio: "inherit" })
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
