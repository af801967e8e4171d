/** The browser of a test file, and services that the executable serves, for tests in a real browser. */
import { afterAll, expect, setDefaultTimeout } from "bun:test"
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { tempDir } from "../../support/temp.ts"
import { createAccount } from "../accounts.ts"
import { findBrowser, launchBrowser } from "../browser-support.ts"
import { runJson, serve, serveForFile, startForFile } from "../support.ts"
import { createDesk } from "./desk.ts"

/** A browser for all tests of a file; null, and a line that says so, without one. */
export async function openBrowser() {
  // Each step waits for half a minute at most, so a test that hangs says where. A slow machine may need all of it.
  setDefaultTimeout(180_000)
  const executable = findBrowser()
  if (executable === null) {
    console.error(
      "\n!! LEFT OUT: the tests in a real browser. No browser was found. On Debian: apt-get install chromium. Or name one with PENKNIFE_TEST_BROWSER.\n",
    )
    return null
  }
  const browser = await launchBrowser(executable)
  afterAll(() => browser.close())
  return browser
}

/** A browser for all tests of a file, and a service with one account; null without a browser. */
export async function openDesk() {
  const browser = await openBrowser()
  if (browser === null) return null
  const { db, key } = await prepare("")
  expect(key).toStartWith("pka-")
  const { url } = await serveForFile(db)
  return { browser, db, url, key, desk: createDesk(browser, url, key) }
}

/** A folder with these settings and a data file, which has one account and an admin key. */
async function prepare(settings: string) {
  const dir = tempDir()
  const [db, file] = [join(dir, "web.db"), join(dir, "penknife.toml")]
  writeFileSync(file, settings)
  await createAccount(db, { plan: "free" })
  const { key } = await runJson("admin-key", "create", "--name", "Ann Operator", "--db", db)
  return { dir, db, file, key }
}

const plans = '[plans.free]\nprice = "Free"\n[plans.pro]\nprice = "€29 a month"\nhighlight = true\n'

/** A test double, whose DNS is always there, with plans to offer and calls without a key. */
export async function startOffering() {
  const file = join(tempDir(), "offer.toml")
  const settings = `title = "Acme Checks"\nsign_up_url = "https://acme.example/"\n[try]\ncalls = 6\n${plans}`
  writeFileSync(file, settings)
  return startForFile(["mock", "--port", "0", "--config", file])
}

/**
 * A service that everyone can sign up to, that keeps requests and makes backups by itself. Its mails wait, since its mail server
 * cannot be reached.
 */
export async function startSignUp() {
  const mail = 'smtp = "smtp://127.0.0.1:1?starttls=never"\nmail_from = "no-reply@example.com"\n'
  const settings = 'contact = "help@example.com"\nkeep_requests = 7\nbackup_every = "36h"\n'
  const signUp = '[sign_up]\nmode = "open"\nterms = "https://terms.example/"\n'
  const { dir, db, file, key } = await prepare(settings + mail + signUp + plans)
  const { url } = await serveForFile(db, "--config", file, "--backup-dir", dir)
  return { url, db, key }
}

/** A service with these settings, for one test. */
export async function startForOne(settings: string) {
  const { db, file, key } = await prepare(settings)
  const { url } = await serve(db, "--config", file)
  return { url, key }
}

/** A service with a configuration file and a directory for backups. */
export async function serveConfigured() {
  const settings = "# made by hand\nwebhook_port = [9443]\n[credits]\nhmac = 2\n"
  const { dir, db, file, key } = await prepare(settings)
  const backups = join(dir, "backups")
  mkdirSync(backups)
  const { url } = await serveForFile(db, "--config", file, "--backup-dir", backups)
  return { url, key, file }
}
