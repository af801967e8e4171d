/** What tests of console and portal in a real browser share: a running service, pages of it that are watched, and a look at each state. */
import { expect } from "bun:test"
import { mkdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import type { Browser, BrowserContext, Locator, Page } from "playwright-core"

const root = join(import.meta.dir, "../../..")
/** Where pictures of each screen and state are written. Git ignores it. */
const pictures = join(root, "dist/screenshots")
const axe = readFileSync(join(root, "node_modules/axe-core/axe.min.js"), "utf8")

/** Windows in which a screen is looked at. What stands above a screen is looked at in two of them. */
const views = {
  all: [
    [1280, "light"],
    [1280, "dark"],
    [390, "light"],
    [390, "dark"],
  ],
  two: [
    [1280, "dark"],
    [390, "light"],
  ],
} as const
const rules = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]

/** A browser at a running service. */
export interface Desk {
  readonly browser: Browser
  readonly url: string
  /** Has all permissions. */
  readonly adminKey: string
  /** Calls an operation of the administration, to prepare a test or to see what a page has done. */
  call(method: string, path: string, body?: unknown): Promise<Answer>
  /**
   * Opens a page. What it must not do is collected, and {@link Visit.done} checks it.
   * @param path such as `/console/accounts`
   */
  visit(path: string, options?: VisitOptions): Promise<Visit>
}

/** The JSON of an answer, whose fields a test knows. */
export type Answer = Readonly<Record<string, unknown>> & { readonly id: string; readonly key: string }

export interface VisitOptions {
  /** The key to sign in with; the admin key by default, null for a stranger. */
  readonly key?: string | null
  /** True where the service is stopped on purpose, so that the browser reports failed requests. */
  readonly mayFail?: boolean
}

/** One page in a context with its own cookies. */
export interface Visit {
  readonly page: Page
  /**
   * Checks what is shown, and takes a picture of it: in light and dark, on a wide and a narrow screen.
   * @param name of the picture: screen and state, such as `accounts-empty`
   * @param which `two` for a window above a screen that is looked at already
   */
  look(name: string, which?: "all" | "two"): Promise<void>
  /** Closes the page. Fails if it broke its policy, reported an error or asked another host for anything. */
  done(): Promise<void>
}

export function createDesk(browser: Browser, url: string, adminKey: string): Desk {
  return {
    browser,
    url,
    adminKey,
    async call(method, path, body) {
      const response = await fetch(`${url}/admin/v1${path}`, {
        method,
        headers: { authorization: `Bearer ${adminKey}`, "content-type": "application/json" },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      })
      const text = await response.text()
      if (!response.ok) throw new Error(`${method} ${path}: ${text}`)
      return JSON.parse(text)
    },
    async visit(path, { key = adminKey, mayFail = false } = {}) {
      const context = await browser.newContext({
        viewport: { width: 1280, height: 860 },
        reducedMotion: "reduce",
      })
      if (key !== null) await signIn(context, `${url}/${path.split("/")[1]}/session`, key)
      const page = await context.newPage()
      const complaints = watch(page, url, mayFail)
      await page.goto(url + path)
      return {
        page,
        look: (name, which = "all") => look(page, name, which),
        async done() {
          await context.close()
          expect(complaints).toEqual([])
        },
      }
    },
  }
}

async function signIn(context: BrowserContext, address: string, key: string): Promise<void> {
  const headers = { origin: new URL(address).origin }
  const answer = await context.request.post(address, { data: { key }, headers })
  expect(answer.status()).toBe(201)
}

/** Collects what a page must not do. */
function watch(page: Page, url: string, mayFail: boolean): string[] {
  const complaints: string[] = []
  // The browser reports each refused request; which of them are right is what the test is about.
  const isExpected = (text: string) =>
    /status of 4\d\d/.test(text) || (mayFail && /net::ERR_|status of 5\d\d/.test(text))
  page.on("console", (message) => {
    const text = message.text()
    if (["error", "warning"].includes(message.type()) && !isExpected(text)) complaints.push(text)
  })
  page.on("pageerror", (error) => complaints.push(error.stack || error.message))
  page.on("request", (request) => {
    const address = request.url()
    if (!address.startsWith(`${url}/`) && !/^(?:blob|data):/.test(address))
      complaints.push(`asked ${address}`)
  })
  page.on("dialog", (dialog) => {
    complaints.push(`opened a window: ${dialog.message()}`)
    void dialog.dismiss()
  })
  return complaints
}

async function look(page: Page, name: string, which: "all" | "two"): Promise<void> {
  mkdirSync(pictures, { recursive: true })
  const wrong: string[] = []
  for (const [width, colorScheme] of views[which]) {
    await page.setViewportSize({ width, height: 860 })
    await page.emulateMedia({ colorScheme, reducedMotion: "reduce" })
    // A page that follows the theme by script does so with the next frame.
    await page.evaluate("new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)))")
    const seen = [...(await violations(page)), ...(await cutOff(page))]
    wrong.push(...seen.map((text) => `${name}, ${width} px, ${colorScheme}: ${text}`))
    await page.screenshot({ path: join(pictures, `${name}-${width}-${colorScheme}.png`), fullPage: true })
  }
  await page.setViewportSize({ width: 1280, height: 860 })
  expect(wrong).toEqual([])
}

/** Violations of WCAG 2.2 A and AA, as axe finds them. */
async function violations(page: Page): Promise<readonly string[]> {
  if (!(await page.evaluate<boolean>("'axe' in globalThis"))) await page.evaluate(axe)
  return page.evaluate<
    string[]
  >(`axe.run(document, { runOnly: ${JSON.stringify(rules)}, resultTypes: ["violations"] }).then(
    ({ violations }) => violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => id + ": " + html.slice(0, 200))))`)
}

/** What reaches beyond the right edge of the window. */
function cutOff(page: Page): Promise<readonly string[]> {
  return page.evaluate<string[]>(`[...document.querySelectorAll("body *")]
    .filter((element) => !element.closest(".hidden, .skip, .u-wrap") && element.getBoundingClientRect().right > innerWidth + 1)
    .slice(0, 3).map((element) => "cut off: " + element.outerHTML.slice(0, 200))`)
}

/** Presses Tab until the element with this accessible name has the focus; fails when none gets it. */
export async function tabTo(page: Page, name: string): Promise<void> {
  for (let pressed = 0; pressed < 60; pressed++) {
    await page.keyboard.press("Tab")
    const focused = await page.evaluate<string>(nameOfFocused)
    if (focused === name) return
  }
  throw new Error(`'${name}' cannot be reached with Tab.`)
}

const nameOfFocused = `(() => {
  const element = document.activeElement
  return element.getAttribute("aria-label") ?? element.labels?.[0]?.firstChild.textContent ?? element.textContent ?? ""
})().trim()`

/** The texts that a screen reader reads after the name of a field. */
export async function descriptionOf(field: Locator): Promise<string> {
  const ids = ((await field.getAttribute("aria-describedby")) ?? "").split(" ").filter(Boolean)
  const texts = await Promise.all(ids.map((id) => field.page().locator(`[id="${id}"]`).textContent()))
  return texts.join(" ")
}
