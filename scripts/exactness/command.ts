import type { Lab } from "./trial.ts"

/** Runs a command of the executable on a store, and returns its JSON. */
export async function command(
  { binary, config }: Pick<Lab, "binary"> & Partial<Pick<Lab, "config">>,
  db: string,
  argv: readonly string[],
) {
  const child = Bun.spawn([binary, ...argv, "--json"], {
    env: { ...process.env, PENKNIFE_DB: db, PENKNIFE_CONFIG: config },
    stdout: "pipe",
    stderr: "pipe",
  })
  const [out, err, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
  if (code !== 0) throw new Error(`penknife ${argv.join(" ")} ended with ${code}: ${err}`)
  return JSON.parse(out)
}
