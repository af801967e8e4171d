/**
 * The console in a real browser, served by the executable. Each screen has a file in `web`; all share one browser and one
 * service. The pages that customers see are in `web-customers.test.ts`, so that both run beside each other.
 */
import { describe } from "bun:test"
import { findWholeBrowser } from "./browser-support.ts"
import { accountsInBrowser, manyAccountsInBrowser } from "./web/accounts.ts"
import { bulkInBrowser } from "./web/bulk.ts"
import { createDesk } from "./web/desk.ts"
import { failuresInBrowser } from "./web/failures.ts"
import { keysInBrowser } from "./web/keys.ts"
import { overviewInBrowser } from "./web/overview.ts"
import { peopleInBrowser } from "./web/people.ts"
import { backupsInBrowser, plansInBrowser } from "./web/plans-and-backups.ts"
import { auditInBrowser, noticesInBrowser } from "./web/records.ts"
import {
  errorsInBrowser,
  keptRequestsInBrowser,
  noKeptRequestsInBrowser,
  requestsInBrowser,
} from "./web/requests.ts"
import { searchInBrowser } from "./web/search.ts"
import { openDesk, serveConfigured, startSignUp } from "./web/services.ts"
import { sessionsInBrowser } from "./web/sessions.ts"
import { settingsInBrowser } from "./web/settings.ts"
import { shellInBrowser } from "./web/shell.ts"
import { slowAnswersInBrowser } from "./web/slow-answers.ts"
import { statementsInBrowser } from "./web/statements.ts"

const opened = await openDesk()
if (opened !== null) {
  const { browser, desk, url, key } = opened
  const configured = await serveConfigured()
  const configuredDesk = createDesk(browser, configured.url, configured.key)
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
  describe("requests", () => requestsInBrowser(desk))
  describe("no kept requests", () => noKeptRequestsInBrowser(desk))
  describe("errors", () => errorsInBrowser(desk))
  describe("notices", () => noticesInBrowser(desk))
  describe("plans", () => plansInBrowser(configuredDesk, desk, configured.file))
  describe("audit", () => auditInBrowser(desk))
  describe("statements", () => statementsInBrowser(desk))
  const named = createDesk(browser, url.replace("127.0.0.1", "localhost"), key)
  describe("people", () => peopleInBrowser(named))
  const signUp = await startSignUp()
  const signUpDesk = createDesk(browser, signUp.url, signUp.key)
  describe("search", () => searchInBrowser(signUpDesk))
  describe("kept requests", () => keptRequestsInBrowser(signUpDesk))
  describe("settings", () => settingsInBrowser(configuredDesk, signUpDesk))
  describe("backups", () => backupsInBrowser(configuredDesk, desk))
}
