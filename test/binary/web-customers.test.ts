/** Portal, public pages, sign-up and the test double's own screens in a real browser, served by the executable. */
import { describe } from "bun:test"
import { startForFile } from "./support.ts"
import { createDesk } from "./web/desk.ts"
import { doubleInBrowser } from "./web/double.ts"
import { guestsInBrowser } from "./web/guests.ts"
import { otherOriginInBrowser } from "./web/other-origin.ts"
import { pagesInBrowser } from "./web/pages.ts"
import { portalInBrowser } from "./web/portal.ts"
import { openDesk, startForOne, startOffering, startSignUp } from "./web/services.ts"
import { signUpInBrowser } from "./web/sign-up.ts"

const opened = await openDesk()
if (opened !== null) {
  const { browser, desk, url, db } = opened
  describe("portal", () => portalInBrowser(desk))
  describe("other origin", () => otherOriginInBrowser(browser, url, db))
  describe("pages", () => pagesInBrowser(desk, db))
  const offering = await startOffering()
  describe("guests", () => guestsInBrowser(createDesk(browser, offering.url, "mock-admin")))
  const double = await startForFile(["mock", "--port", "0"])
  describe("test double", () => doubleInBrowser(createDesk(browser, double.url, "mock-admin")))
  const signUp = await startSignUp()
  const signUpDesk = createDesk(browser, signUp.url, signUp.key)
  describe("sign-up", () =>
    signUpInBrowser(signUpDesk, signUp.db, async (settings) => {
      const own = await startForOne(settings)
      return createDesk(browser, own.url, own.key)
    }))
}
