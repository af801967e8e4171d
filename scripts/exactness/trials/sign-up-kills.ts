import { join } from "node:path"
import { startMailServer } from "../../../test/support/mail-server.ts"
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
  run: (lab) => tryKills(lab, join(lab.directory, "sign-up.db")),
}

export const signUpKills: Trial = {
  name: "sign-up-kills",
  title: "kill -9 of a service on PostgreSQL between two steps of a sign-up",
  rounds: 300,
  async run(lab) {
    const server = await createServer(join(lab.directory, "database"))
    await server.start()
    lab.cleanUp(() => server.stop())
    return tryKills(lab, server.url)
  },
}

async function tryKills(lab: Lab, db: string): Promise<readonly Finding[]> {
  await command(lab, db, ["account", "create", "--name", "one"])
  const adminKey = String((await command(lab, db, ["admin-key", "create", "--name", "kills"])).key)
  const server = await startMailServer({ disabledCommands: ["STARTTLS", "AUTH"] })
  lab.cleanUp(() => server.close())
  const smtp = `smtp://127.0.0.1:${server.address.port}?starttls=never`
  const mail = ["--smtp", smtp, "--mail-from", "no-reply@example.com"]
  const flags = [...mail, "--sign-up-mode", "open", "--sign-up-plan", "ample", "--trust-proxy", "127.0.0.1"]
  const instance = await createInstance({ ...lab, db, flags: [...flags, "--public-url", "http://127.0.0.1"] })
  lab.cleanUp(async () => instance.kill())
  const { customers, lost, lostWithEffect, problems } = await killDuringSignUp(instance, {
    adminKey,
    rounds: lab.rounds,
    say: lab.say,
    links: (email) =>
      server.taken.filter(({ to }) => to === email).flatMap(({ message }) => linkIn(message) ?? []),
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

/** The link in a mail, whose lines are broken by quoted-printable (RFC 2045 §6.7). */
function linkIn(message: string): string | undefined {
  const text = message.replace(/=\r?\n/g, "").replaceAll("=3D", "=")
  return /http:\/\/127\.0\.0\.1\/portal[^\s"<]*#[a-z-]+=[\w-]+/.exec(text)?.[0]
}
