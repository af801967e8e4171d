import { mkdirSync } from "node:fs"
import { join } from "node:path"
import type { Finding } from "../../findings.ts"
import { killDuringChanges } from "../admin-kills.ts"
import { command } from "../command.ts"
import { createServer } from "../database.ts"
import { createInstance } from "../instance.ts"
import { count, type Lab, none, type Trial } from "../trial.ts"

export const adminKillsFile: Trial = {
  name: "admin-kills-file",
  title: "kill -9 of a service with a data file between a change of the administration and its answer",
  rounds: 20,
  async run(lab) {
    const folder = join(lab.directory, "store")
    mkdirSync(folder)
    return tryKills(lab, folder, join(folder, "penknife.db"), "sqlite://")
  },
}

export const adminKills: Trial = {
  name: "admin-kills",
  title: "kill -9 of a service on PostgreSQL between a change of the administration and its answer",
  rounds: 300,
  async run(lab) {
    const folder = join(lab.directory, "database")
    const server = await createServer(folder)
    await server.start()
    lab.cleanUp(() => server.stop())
    return tryKills(lab, folder, server.url, "")
  },
}

async function tryKills(lab: Lab, folder: string, db: string, scheme: string): Promise<readonly Finding[]> {
  await command(lab, db, ["account", "create", "--name", "one"])
  const adminKey = String((await command(lab, db, ["admin-key", "create", "--name", "kills"])).key)
  const instance = await createInstance({ ...lab, db, logSample: 1 })
  lab.cleanUp(async () => instance.kill())
  const { changes, lost, lostWithEffect, problems } = await killDuringChanges(instance, {
    adminKey,
    folder,
    rounds: lab.rounds,
    say: lab.say,
    async countSecrets(keyId) {
      const sql = new Bun.SQL(scheme + db)
      const rows = await sql`SELECT count(*) AS secrets FROM secrets WHERE key_id = ${keyId}`
      await sql.close()
      return Number(rows[0].secrets)
    },
  })
  for (const problem of problems) lab.say(problem)
  return [
    none("changes with another number of effects or audit records than one, or a kept key", problems.length),
    count("changes", changes),
    count("first answers lost", lost, 1),
    count("of these, changes that had their effect", lostWithEffect),
  ]
}
