/**
 * The jobs of customers and operators, done in a real browser by mouse and by keyboard alone: the steps of each job have a bound.
 * The check of each commit does half of the jobs, either by mouse or by keyboard.
 */
import { afterAll, describe, expect, test } from "bun:test"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { startMailServer } from "../support/mail-server.ts"
import { tempDir } from "../support/temp.ts"
import { hasTurn } from "../support/turns.ts"
import { createAccount } from "./accounts.ts"
import { runJson, serveForFile } from "./support.ts"
import { createDesk } from "./web/desk.ts"
import { type JobService, jobs, useLastMonth } from "./web/jobs.ts"
import { createPerson } from "./web/person.ts"
import { openBrowser } from "./web/services.ts"

const browser = await openBrowser()
if (browser !== null) {
  const service = await startService()
  const numbered = createDesk(browser, service.url, service.adminKey)
  // Passkeys need a host name.
  const named = createDesk(browser, service.url.replace("127.0.0.1", "localhost"), service.adminKey)
  const done: string[] = []
  afterAll(() => console.info(["", "steps  seconds  job", ...done].join("\n")))
  for (const [turn, way] of (["mouse", "keyboard"] as const).entries())
    describe(`by ${way}`, () => {
      for (const [place, { name, maxSteps, prepare, run }] of jobs.entries()) {
        if (!hasTurn(2 * place + turn, 4)) continue
        test(name, async () => {
          const begin = await prepare(numbered, service, way)
          const desk = begin.isNamed ? named : numbered
          const visit = await desk.visit(begin.path, { key: begin.isVisitor ? null : service.adminKey })
          const person = createPerson(visit.page, way)
          const startMs = performance.now()
          await run(person, { desk, service, look: visit.look, ...begin })
          const tookMs = performance.now() - startMs
          done.push(
            `${String(person.steps()).padStart(5)}  ${(tookMs / 1_000).toFixed(1).padStart(7)}  ${name}, by ${way}`,
          )
          expect(person.steps()).toBeLessThanOrEqual(maxSteps)
          await visit.done()
        })
      }
    })
}

/**
 * A service that customers sign up to by mail, that strangers may try, and that keeps requests. One account used it last month.
 */
async function startService(): Promise<JobService> {
  const dir = tempDir()
  const db = join(dir, "jobs.db")
  const file = join(dir, "penknife.toml")
  const mail = await startMailServer()
  afterAll(() => mail.close())
  writeFileSync(
    file,
    `smtp = "smtp://127.0.0.1:${mail.address.port}?starttls=never"
mail_from = "no-reply@example.com"
keep_requests = 1
[sign_up]
mode = "open"
terms = "https://terms.example/"
[try]
calls = 30
`,
  )
  useLastMonth(db, await createAccount(db, { plan: "pro" }), 1_000)
  useLastMonth(db, await createAccount(db, { plan: "mega" }), 90_000)
  const { key: adminKey } = await runJson("admin-key", "create", "--name", "Ann Operator", "--db", db)
  const { url } = await serveForFile(db, "--config", file)
  return { url, adminKey, mails: mail.taken }
}
