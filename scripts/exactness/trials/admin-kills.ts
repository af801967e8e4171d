import { join } from "node:path"
import { killDuringChanges } from "../admin-kills.ts"
import { command } from "../command.ts"
import { createServer, query } from "../database.ts"
import { createInstance } from "../instance.ts"
import { count, none, type Trial } from "../trial.ts"

export const adminKills: Trial = {
  name: "admin-kills",
  title: "kill -9 of a service on PostgreSQL between a change of the administration and its answer",
  rounds: 300,
  async run(lab) {
    const folder = join(lab.directory, "database")
    const server = await createServer(folder)
    await server.start()
    lab.cleanUp(() => server.stop())
    const db = server.url
    await command(lab, db, ["account", "create", "--name", "one"])
    const adminKey = String((await command(lab, db, ["admin-key", "create", "--name", "kills"])).key)
    const instance = await createInstance({ ...lab, db, logSample: 1 })
    lab.cleanUp(async () => instance.kill())
    const { changes, lost, lostWithEffect, problems } = await killDuringChanges(instance, {
      ...{ adminKey, folder, rounds: lab.rounds, say: lab.say },
      async countSecrets(keyId) {
        const [row] = await query<{ secrets: number }>(
          db,
          `SELECT count(*)::integer AS secrets FROM secrets WHERE key_id = '${keyId}'`,
        )
        return row?.secrets ?? 0
      },
    })
    for (const problem of problems) lab.say(problem)
    return [
      none(
        "changes with another number of effects or audit records than one, or a kept key",
        problems.length,
      ),
      count("changes", changes),
      count("first answers lost", lost, 1),
      count("of these, changes that had their effect", lostWithEffect),
    ]
  },
}
