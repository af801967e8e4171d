/** Tabs of a browser, used by one visit after the other: a new tab costs a process, which compiles all scripts again. */
import { expect, onTestFinished } from "bun:test"
import type { Browser, BrowserContext, Page } from "playwright-core"
import { firstWindow, lookScript } from "./look.ts"
import { slowDown, slowDownPage } from "./slow.ts"

/** A tab with its own cookies. While it is in use, it collects what a page must not do. */
interface Tab {
  readonly page: Page
  readonly context: BrowserContext
  /**
   * @param url the service; a request to another address is a complaint
   * @param mayFail whether the browser may report requests that no answer came to
   */
  watch(url: string, mayFail: boolean): void
  /**
   * Makes the tab empty for the next visit. Fails if a page broke its policy, reported an error or asked another host for
   * anything.
   */
  giveBack(): Promise<void>
}

/** The tabs of visits that have not ended. */
const used = new Set<Tab>()

/** Gives all tabs back that a test has used, as its end. */
export async function giveBackAll(): Promise<void> {
  for (const tab of used) await tab.giveBack()
}

/** Hands out tabs, each to one visit at a time. A tab that a failed test did not give back is closed. */
export function createTabs(browser: Browser): { take(): Promise<Tab> } {
  const free: Tab[] = []
  return {
    async take() {
      const tab =
        free.pop() ??
        (await openTab(browser, (tab) => {
          used.delete(tab)
          free.push(tab)
        }))
      used.add(tab)
      onTestFinished(async () => {
        if (used.delete(tab)) await tab.context.close()
      })
      return tab
    },
  }
}

async function openTab(browser: Browser, whenFree: (tab: Tab) => void): Promise<Tab> {
  const { width, height, ...media } = firstWindow
  const context = await browser.newContext({ viewport: { width, height }, ...media })
  await context.addInitScript({ content: lookScript })
  await slowDown(context)
  const page = await context.newPage()
  await slowDownPage(page)
  const watched = { url: "", mayFail: false, complaints: [] as string[] }
  collectComplaints(context, watched)
  const tab: Tab = {
    page,
    context,
    watch(url, mayFail) {
      Object.assign(watched, { url, mayFail, complaints: [] })
    },
    async giveBack() {
      const { complaints } = watched
      await empty(page, watched.url)
      expect(complaints).toEqual([])
      whenFree(tab)
    },
  }
  return tab
}

/** Leaves nothing of a visit: no storage, cookie, other tab, changed request or changed window. */
async function empty(page: Page, url: string): Promise<void> {
  const context = page.context()
  await Promise.all(context.pages().map((each) => each !== page && each.close()))
  await context.setOffline(false)
  await page.unrouteAll({ behavior: "ignoreErrors" })
  // A document without scripts. A page that is open might notice the end of its session.
  await page.goto(`${url}/robots.txt`)
  await page.evaluate("sessionStorage.clear(), localStorage.clear()")
  await context.clearCookies()
  const { width, height, ...media } = firstWindow
  await page.setViewportSize({ width, height })
  await page.emulateMedia(media)
}

function collectComplaints(
  context: BrowserContext,
  watched: { url: string; mayFail: boolean; complaints: string[] },
): void {
  // The browser reports each refused request; which of them are right is what the test is about.
  const isExpected = (text: string) =>
    /status of 4\d\d/.test(text) || (watched.mayFail && /net::ERR_|status of 5\d\d/.test(text))
  context.on("console", (message) => {
    const text = message.text()
    if (["error", "warning"].includes(message.type()) && !isExpected(text)) watched.complaints.push(text)
  })
  context.on("weberror", (thrown) => {
    const error = thrown.error()
    watched.complaints.push(error.stack || error.message)
  })
  context.on("request", (request) => {
    const address = request.url()
    if (!address.startsWith(`${watched.url}/`) && !/^(?:blob|data):/.test(address))
      watched.complaints.push(`asked ${address}`)
  })
  context.on("dialog", (dialog) => {
    watched.complaints.push(`opened a window: ${dialog.message()}`)
    void dialog.dismiss()
  })
}
