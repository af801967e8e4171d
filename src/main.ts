import { callHere, catalog, openAccounts, startService, version } from "./app.ts"
import { systemClock } from "./ports/clock.ts"
import { runCli } from "./surfaces/cli/program.ts"

/** Resolves on the first SIGTERM or SIGINT. */
function stopRequested(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ["SIGTERM", "SIGINT"] as const) process.once(signal, () => resolve())
  })
}

const code = await runCli(process.argv.slice(2), {
  terminal: {
    out: (text) => process.stdout.write(text),
    err: (text) => process.stderr.write(text),
  },
  env: process.env,
  version,
  catalog,
  now: systemClock.now,
  stopRequested,
  startService,
  openAccounts,
  callHere,
})
process.exit(code)
