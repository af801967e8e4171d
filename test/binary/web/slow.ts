/**
 * A slow line and a slow machine, on demand: `PENKNIFE_TEST_SLOW=7` delays each request of a page by a random time from the
 * seed 7, and gives the page a quarter of the processor. What a test or a page does too early then shows.
 */
import type { BrowserContext, Page } from "playwright-core"
import { keepAliveTimer } from "../../../src/ports/timer.ts"
import { randomNumbers } from "../../support/random-numbers.ts"

const seed = process.env.PENKNIFE_TEST_SLOW
const maxDelayMs = 400
const slowdown = 4

export const isSlow = seed !== undefined && seed !== ""

/** Delays what the pages of a context ask for. Without the variable it does nothing. */
export async function slowDown(context: BrowserContext): Promise<void> {
  if (!isSlow) return
  await context.route("**", async (route) => {
    await pause()
    await route.continue()
  })
}

/** Slows a page down, and delays the answers that a test makes up for it. */
export async function slowDownPage(page: Page): Promise<void> {
  if (!isSlow) return
  const session = await page.context().newCDPSession(page)
  await session.send("Emulation.setCPUThrottlingRate", { rate: slowdown })
  const { route } = page
  page.route = (url, handler, options) =>
    route.call(
      page,
      url,
      async (...given) => {
        await pause()
        return handler(...given)
      },
      options,
    )
}

const next = randomNumbers(Number(seed))

const pause = (): Promise<void> =>
  new Promise((resolve) => keepAliveTimer.after(next() * maxDelayMs, resolve))
