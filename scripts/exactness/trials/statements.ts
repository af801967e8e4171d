import { join } from "node:path"
import { count, none, type Trial } from "../trial.ts"

const root = join(import.meta.dir, "../../..")

export const statements: Trial = {
  name: "statements",
  title: "statements add up to the ledger in random histories, on a data file and on PostgreSQL",
  rounds: 1_000,
  async run({ rounds, say }) {
    const file = "test/admin/histories.test.ts"
    const tests = Bun.spawn([process.execPath, "test", "--timeout=3600000", file], {
      cwd: root,
      env: { ...process.env, PENKNIFE_HISTORIES: String(rounds) },
      stdout: "ignore",
      stderr: "pipe",
    })
    const [text, code] = await Promise.all([new Response(tests.stderr).text(), tests.exited])
    if (code !== 0) say(text)
    const passed = Number(/^ *(\d+) pass$/m.exec(text)?.[1] ?? 0)
    return [
      none("kinds of stores with a history that does not add up", 2 - passed),
      count("histories on each kind of store", rounds),
    ]
  },
}
