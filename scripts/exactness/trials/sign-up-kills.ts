import { join } from "node:path"
import type { Finding } from "../../findings.ts"
import { command } from "../command.ts"
import { createServer } from "../database.ts"
import { createInstance } from "../instance.ts"
import { killDuringSignUp } from "../sign-up-kills.ts"
import { count, type Lab, none, type Trial } from "../trial.ts"

export const signUpKillsFile: Trial = {
  name: "sign-up-kills-file",
  title: "kill -9 of a service with a data file between two steps of a sign-up",
  rounds: 20,
  run: (lab) => tryKills(lab, join(lab.directory, "sign-up.db"), "sqlite://"),
}

export const signUpKills: Trial = {
  name: "sign-up-kills",
  title: "kill -9 of a service on PostgreSQL between two steps of a sign-up",
  rounds: 300,
  async run(lab) {
    const server = await createServer(join(lab.directory, "database"))
    await server.start()
    lab.cleanUp(() => server.stop())
    return tryKills(lab, server.url, "")
  },
}

async function tryKills(lab: Lab, db: string, scheme: string): Promise<readonly Finding[]> {
  await command(lab, db, ["account", "create", "--name", "one"])
  const adminKey = String((await command(lab, db, ["admin-key", "create", "--name", "kills"])).key)
  const mail = ["--smtp", "smtp://127.0.0.1:1?starttls=never", "--mail-from", "no-reply@example.com"]
  const flags = [...mail, "--sign-up-mode", "open", "--sign-up-plan", "ample", "--trust-proxy", "127.0.0.1"]
  const instance = await createInstance({ ...lab, db, flags: [...flags, "--public-url", "http://127.0.0.1"] })
  lab.cleanUp(async () => instance.kill())
  const sql = new Bun.SQL(scheme + db)
  lab.cleanUp(() => sql.close())
  const { customers, lost, lostWithEffect, problems } = await killDuringSignUp(instance, {
    adminKey,
    rounds: lab.rounds,
    say: lab.say,
    async links(email) {
      const rows: readonly { readonly data: string | null }[] =
        await sql`SELECT data FROM mails WHERE recipient = ${email} AND data IS NOT NULL ORDER BY raised_ms, id`
      return rows.map(({ data }) => String(JSON.parse(data ?? "{}").link))
    },
  })
  for (const problem of problems) lab.say(problem)
  return [
    none(
      "customers without exactly one account, one key and one audit record, or who cannot sign in",
      problems.length,
    ),
    count("customers who signed up", customers),
    count("answers lost", lost, 1),
    count("of these, links that had made their account", lostWithEffect),
  ]
}
