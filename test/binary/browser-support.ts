import { accessSync, constants } from "node:fs"
import { type Browser, chromium } from "playwright-core"

/** Chromium without the parts for a window. It takes a third less processor time, and keeps no page that was left. */
const lightPlaces = ["/usr/bin/chromium-headless-shell"]
const wholePlaces = [
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
  "/usr/bin/google-chrome-stable",
]

/** The path of a browser on this machine; null without one. `PENKNIFE_TEST_BROWSER` names another path. */
export const findBrowser = (): string | null => firstOf([...lightPlaces, ...wholePlaces])

/** The path of a browser that keeps pages that were left, for the way back; null without one. */
export const findWholeBrowser = (): string | null => firstOf(wholePlaces)

function firstOf(places: readonly string[]): string | null {
  const own = process.env.PENKNIFE_TEST_BROWSER
  return (own ? [own] : places).find(isExecutable) ?? null
}

/**
 * A browser without a window that cannot resolve host names. Chromium has no sandbox for root, and these pages need none.
 * @param without options of Playwright's own that are left out
 */
export function launchBrowser(executablePath: string, without: string[] = []): Promise<Browser> {
  const isRoot = process.getuid?.() === 0
  // Without a graphics card, a process that pretends to be one takes a twentieth of the processor time.
  const args = [
    "--disable-gpu",
    "--in-process-gpu",
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost",
    ...(isRoot ? ["--no-sandbox"] : []),
  ]
  return chromium.launch({ executablePath, args, ignoreDefaultArgs: without })
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK)
    return true
  } catch {
    return false
  }
}
