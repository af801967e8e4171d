import { join } from "node:path"
import { count, none, type Trial } from "../trial.ts"

const root = join(import.meta.dir, "../../..")

/** Tests of the check, with more rounds. */
export const tests: readonly Trial[] = [
  trialOf("charge-kills-file", 30, "kill -9 of a service with a data file under load, and of its workers", {
    "test/binary/metering.test.ts": "kill -9",
  }),
  trialOf("admin-kills-file", 20, "kill -9 between a change of the administration and its answer", {
    "test/binary/admin-kills.test.ts": "",
  }),
  trialOf("repeat-kills-file", 20, "kill -9 between two steps of calls with an Idempotency-Key", {
    "test/binary/repeat-kills.test.ts": "",
  }),
  trialOf(
    "statements",
    1_000,
    "statements add up to the ledger in random histories, on both kinds of stores",
    { "test/admin/histories.test.ts": "" },
  ),
  trialOf("reloads", 50, "calls while the configuration changes, and while workers load own APIs anew", {
    "test/binary/config-reload.test.ts": "take a configuration over",
    "test/binary/own-apis-workers.test.ts": "calls while workers start again",
  }),
]

/** @param files the tests in each of them whose names contain a text */
function trialOf(
  name: string,
  rounds: number,
  title: string,
  files: Readonly<Record<string, string>>,
): Trial {
  return {
    name,
    rounds,
    title,
    async run(lab) {
      const counts = { pass: 0, fail: 0 }
      for (const [file, text] of Object.entries(files)) {
        const command = [process.execPath, "test", "--timeout=3600000", `./${file}`, "-t", text]
        const env = { ...process.env, PENKNIFE_TEST_ROUNDS: String(lab.rounds) }
        const child = Bun.spawn(command, { cwd: root, env, stdout: "pipe", stderr: "pipe" })
        const [out, err, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
        if (code !== 0) lab.say(out + err)
        const countOf = (word: string) => Number(new RegExp(`^ *(\\d+) ${word}$`, "m").exec(err)?.[1] ?? 0)
        counts.pass += countOf("pass")
        counts.fail += code === 0 ? 0 : Math.max(1, countOf("fail"))
      }
      return [
        none("failed tests", counts.fail),
        count("passed tests", counts.pass, Object.keys(files).length),
      ]
    },
  }
}
