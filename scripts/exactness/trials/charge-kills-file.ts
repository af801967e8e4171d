import { join } from "node:path"
import { none, type Trial } from "../trial.ts"

const root = join(import.meta.dir, "../../..")

/** The test of the check, with more kills. */
export const chargeKillsFile: Trial = {
  name: "charge-kills-file",
  title: "kill -9 of a service with a data file under load, and of its workers",
  rounds: 30,
  async run({ rounds, say }) {
    const child = Bun.spawn([process.execPath, "test", "./test/binary/metering.test.ts", "-t", "kill -9"], {
      cwd: root,
      env: { ...process.env, PENKNIFE_TEST_KILLS: String(rounds) },
      stdout: "pipe",
      stderr: "pipe",
    })
    const [out, err, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
    if (code !== 0) say(out + err)
    return [none("failed tests", Number(/^\s*(\d+) fail$/m.exec(err)?.[1] ?? 1))]
  },
}
