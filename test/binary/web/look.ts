/** A look at what a page shows: axe finds no violation of WCAG, nothing is cut off, and a picture is taken. */
import { expect } from "bun:test"
import { mkdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import type { Page } from "playwright-core"

const root = join(import.meta.dir, "../../..")
/** Where pictures of each screen and state are written. Git ignores it. */
const pictures = join(root, "dist/screenshots")
const axe = readFileSync(join(root, "node_modules/axe-core/axe.min.js"), "utf8")

/** The window that each visit begins with. */
export const firstWindow = {
  width: 1280,
  height: 860,
  colorScheme: "light",
  reducedMotion: "reduce",
} as const

/** Windows in which a screen is looked at. What stands above a screen is looked at in two of them. */
const views = {
  all: [
    [1280, "light"],
    [1280, "dark"],
    [390, "dark"],
    [390, "light"],
  ],
  two: [
    [1280, "dark"],
    [390, "light"],
  ],
} as const

export async function look(page: Page, name: string, which: keyof typeof views): Promise<void> {
  mkdirSync(pictures, { recursive: true })
  const wrong: string[] = []
  for (const [width, colorScheme] of views[which]) {
    await setWindow(page, width, colorScheme)
    const seen = await page.evaluate<string[]>("lookForTests()")
    wrong.push(...seen.map((text) => `${name}, ${width} px, ${colorScheme}: ${text}`))
    const path = join(pictures, `${name}-${width}-${colorScheme}.jpg`)
    await page.screenshot({ path, type: "jpeg", quality: 80, fullPage: true })
  }
  await page.setViewportSize({ width: firstWindow.width, height: firstWindow.height })
  expect(wrong).toEqual([])
}

async function setWindow(page: Page, width: number, colorScheme: "light" | "dark"): Promise<void> {
  if (page.viewportSize()?.width !== width) await page.setViewportSize({ width, height: firstWindow.height })
  await page.emulateMedia({ colorScheme, reducedMotion: firstWindow.reducedMotion })
}

/**
 * Runs in each document before its own scripts. Defines `lookForTests`, which gives the violations of WCAG 2.2 A and AA, and what
 * reaches beyond the right edge of the window. A change of the theme that leaves each element as it was, at its place, can only
 * have changed colors: then only the rules about colors run again, which is twice as fast.
 */
export const lookScript = `{
  const standards = ${JSON.stringify(["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"])}
  const dark = matchMedia("(prefers-color-scheme: dark)")
  let isDark = dark.matches
  dark.addEventListener("change", () => (isDark = dark.matches))
  let before = ""

  globalThis.lookForTests = async () => {
    if (!globalThis.axe) loadAxe()
    await themeIsShown()
    const elements = [...document.querySelectorAll("body *")]
    const shown = innerWidth + document.documentElement.outerHTML + elements.map(placeOf).join(" ")
    const runOnly = shown === before ? colorRules() : standards
    before = shown
    const { violations } = await axe.run(document, { runOnly, resultTypes: ["violations"], selectors: false })
    return [
      ...violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => id + ": " + html.slice(0, 200))),
      ...elements.filter(isCutOff).slice(0, 3).map((element) => "cut off: " + element.outerHTML.slice(0, 200)),
    ]
  }

  // Scripts hear of another theme a frame or two later, and colors may then take a moment to change.
  async function themeIsShown() {
    do await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)))
    while (isDark !== dark.matches)
    const changes = document.getAnimations().filter((animation) => animation instanceof CSSTransition)
    await Promise.allSettled(changes.map(({ finished }) => finished))
  }

  function colorRules() {
    const rules = axe.getRules(standards).filter(({ tags }) => tags.includes("cat.color"))
    return { type: "rule", values: rules.map(({ ruleId }) => ruleId) }
  }

  function placeOf(element) {
    const { x, y, width, height } = element.getBoundingClientRect()
    return [x, y, width, height, getComputedStyle(element).visibility].join()
  }

  function isCutOff(element) {
    return element.getBoundingClientRect().right > innerWidth + 1 && !element.closest(".hidden, .skip, .u-wrap")
  }

  function loadAxe() {
    ${axe}
  }
}
`
