/**
 * Console, portal and public pages in a real browser, served by the executable. Each screen has a file in `web`; all share one
 * browser and one service.
 */
import { afterAll, describe, expect, setDefaultTimeout } from "bun:test"
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { tempDir } from "../support/temp.ts"
import { createAccount } from "./accounts.ts"
import { findBrowser, findWholeBrowser, launchBrowser } from "./browser-support.ts"
import { runJson, serve, serveForFile, startForFile } from "./support.ts"
import { accountsInBrowser, manyAccountsInBrowser } from "./web/accounts.ts"
import { bulkInBrowser } from "./web/bulk.ts"
import { createDesk } from "./web/desk.ts"
import { doubleInBrowser } from "./web/double.ts"
import { failuresInBrowser } from "./web/failures.ts"
import { guestsInBrowser } from "./web/guests.ts"
import { keysInBrowser } from "./web/keys.ts"
import { otherOriginInBrowser } from "./web/other-origin.ts"
import { overviewInBrowser } from "./web/overview.ts"
import { pagesInBrowser } from "./web/pages.ts"
import { peopleInBrowser } from "./web/people.ts"
import { backupsInBrowser, plansInBrowser } from "./web/plans-and-backups.ts"
import { portalInBrowser } from "./web/portal.ts"
import { portalByKeyboard } from "./web/portal-by-keyboard.ts"
import { auditInBrowser, noticesInBrowser } from "./web/records.ts"
import {
  errorsInBrowser,
  keptRequestsInBrowser,
  noKeptRequestsInBrowser,
  requestsInBrowser,
} from "./web/requests.ts"
import { searchInBrowser } from "./web/search.ts"
import { sessionsInBrowser } from "./web/sessions.ts"
import { settingsInBrowser } from "./web/settings.ts"
import { shellInBrowser } from "./web/shell.ts"
import { signUpInBrowser } from "./web/sign-up.ts"
import { slowAnswersInBrowser } from "./web/slow-answers.ts"
import { statementsInBrowser } from "./web/statements.ts"

// Each step waits for half a minute at most, so a test that hangs says where. A slow machine may need all of it.
setDefaultTimeout(180_000)

const executable = findBrowser()
if (executable === null) {
  console.error(
    "\n!! LEFT OUT: the tests in a real browser. No browser was found. On Debian: apt-get install chromium. Or name one with PENKNIFE_TEST_BROWSER.\n",
  )
} else {
  const db = join(tempDir(), "web.db")
  await createAccount(db, { plan: "free" })
  const { key } = await runJson("admin-key", "create", "--name", "Ann Operator", "--db", db)
  const server = await serveForFile(db)
  const browser = await launchBrowser(executable)
  afterAll(() => browser.close())
  expect(key).toStartWith("pka-")
  const desk = createDesk(browser, server.url, key)
  const configured = await serveConfigured()
  const configuredDesk = createDesk(browser, configured.url, configured.key)
  const offering = await startOffering()
  const offeringDesk = createDesk(browser, offering.url, "mock-admin")
  const whole = findWholeBrowser()
  if (whole === null)
    console.error(
      "\n!! LEFT OUT: the test of a page that the browser kept. chromium-headless-shell keeps none. On Debian: apt-get install chromium.\n",
    )
  describe("shell", () => shellInBrowser(desk))
  describe("sessions", () => sessionsInBrowser(desk, whole))
  describe("failures", () => failuresInBrowser(desk))
  describe("overview", () => overviewInBrowser(desk))
  describe("accounts", () => accountsInBrowser(desk))
  describe("slow answers", () => slowAnswersInBrowser(desk))
  describe("many accounts", () => manyAccountsInBrowser(desk))
  describe("keys", () => keysInBrowser(desk))
  describe("bulk", () => bulkInBrowser(desk))
  describe("portal", () => portalInBrowser(desk))
  describe("portal by keyboard", () => portalByKeyboard(desk))
  describe("other origin", () => otherOriginInBrowser(browser, server.url, db))
  describe("pages", () => pagesInBrowser(desk, db))
  describe("guests", () => guestsInBrowser(offeringDesk))
  const double = await startForFile(["mock", "--port", "0"])
  describe("test double", () => doubleInBrowser(createDesk(browser, double.url, "mock-admin")))
  describe("requests", () => requestsInBrowser(desk))
  describe("no kept requests", () => noKeptRequestsInBrowser(desk))
  describe("errors", () => errorsInBrowser(desk))
  describe("notices", () => noticesInBrowser(desk))
  describe("plans", () => plansInBrowser(configuredDesk, desk, configured.file))
  describe("audit", () => auditInBrowser(desk))
  describe("statements", () => statementsInBrowser(desk))
  const named = createDesk(browser, server.url.replace("127.0.0.1", "localhost"), key)
  describe("people", () => peopleInBrowser(named))
  const signUp = await startSignUp()
  const signUpDesk = createDesk(browser, signUp.url, signUp.key)
  describe("sign-up", () =>
    signUpInBrowser(signUpDesk, signUp.db, async (settings) => {
      const own = await startForOne(settings)
      return createDesk(browser, own.url, own.key)
    }))
  describe("search", () => searchInBrowser(signUpDesk))
  describe("kept requests", () => keptRequestsInBrowser(signUpDesk))
  describe("settings", () => settingsInBrowser(configuredDesk, signUpDesk))
  describe("backups", () => backupsInBrowser(configuredDesk, desk))
}

/** A test double, whose DNS is always there, with plans to offer and calls without a key. */
async function startOffering() {
  const file = join(tempDir(), "offer.toml")
  const plans = '[plans.free]\nprice = "Free"\n[plans.pro]\nprice = "€29 a month"\nhighlight = true\n'
  writeFileSync(
    file,
    `title = "Acme Checks"\nsign_up_url = "https://acme.example/"\n[try]\ncalls = 6\n${plans}`,
  )
  return startForFile(["mock", "--port", "0", "--config", file])
}

/**
 * A service that everyone can sign up to, that keeps requests and makes backups by itself. Its mails wait, since its mail server
 * cannot be reached.
 */
async function startSignUp() {
  const dir = tempDir()
  const db = join(dir, "sign-up.db")
  const file = join(dir, "penknife.toml")
  const mail = 'smtp = "smtp://127.0.0.1:1?starttls=never"\nmail_from = "no-reply@example.com"\n'
  const settings = 'contact = "help@example.com"\nkeep_requests = 7\nbackup_every = "36h"\n'
  const plans = '[plans.free]\nprice = "Free"\n[plans.pro]\nprice = "€29 a month"\nhighlight = true\n'
  writeFileSync(
    file,
    `${settings}${mail}[sign_up]\nmode = "open"\nterms = "https://terms.example/"\n${plans}`,
  )
  await createAccount(db, { plan: "free" })
  const { key } = await runJson("admin-key", "create", "--name", "Ann Operator", "--db", db)
  const { url } = await serveForFile(db, "--config", file, "--backup-dir", dir)
  return { url, db, key }
}

/** A service with these settings, for one test. */
async function startForOne(settings: string) {
  const db = join(tempDir(), "one.db")
  const file = join(tempDir(), "penknife.toml")
  writeFileSync(file, settings)
  await createAccount(db, { plan: "free" })
  const { key } = await runJson("admin-key", "create", "--name", "Ann Operator", "--db", db)
  const { url } = await serve(db, "--config", file)
  return { url, key }
}

/** A service with a configuration file and a directory for backups. */
async function serveConfigured() {
  const dir = tempDir()
  const db = join(dir, "whole.db")
  const file = join(dir, "penknife.toml")
  const backups = join(dir, "backups")
  writeFileSync(file, "# made by hand\nwebhook_port = [9443]\n[credits]\nhmac = 2\n")
  mkdirSync(backups)
  await createAccount(db, { plan: "free" })
  const { key } = await runJson("admin-key", "create", "--name", "Ann Operator", "--db", db)
  const { url } = await serveForFile(db, "--config", file, "--backup-dir", backups)
  return { url, key, file }
}
