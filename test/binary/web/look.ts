/**
 * A look at what a page shows: axe finds no violation of WCAG, nothing is cut off, and a picture is taken. Each screen and state
 * has its turn with one commit of six, and with each one when pictures are taken.
 */
import { expect } from "bun:test"
import { mkdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import type { Page } from "playwright-core"
import { hasTurn } from "../../support/turns.ts"
import { isSlow } from "./slow.ts"
import { settled } from "./wait.ts"

const root = join(import.meta.dir, "../../..")
/** Where pictures of each screen and state are written when `PENKNIFE_TEST_PICTURES` is set. Git ignores it. */
const pictures = process.env.PENKNIFE_TEST_PICTURES ? join(root, "dist/screenshots") : null
const axe = readFileSync(join(root, "node_modules/axe-core/axe.min.js"), "utf8")

/** The window that each visit begins with. */
export const firstWindow = {
  width: 1280,
  height: 860,
  colorScheme: "light",
  reducedMotion: "reduce",
} as const

/** Windows in which a screen is looked at, and those for what stands above one: together each width has each theme. */
const views = {
  screen: [
    [1280, "light"],
    [390, "dark"],
  ],
  above: [
    [1280, "dark"],
    [390, "light"],
  ],
} as const

export async function look(page: Page, name: string, which: keyof typeof views): Promise<void> {
  await settled(page)
  if (pictures === null && !hasTurn(Bun.hash.crc32(name), 6)) return
  const wrong: string[] = []
  // Half a megabyte of script, which only pages that are looked at read.
  if (!(await page.evaluate("'axe' in globalThis"))) await page.evaluate(`${axe};null`)
  for (const [width, colorScheme] of pictures === null ? views[which] : Object.values(views).flat()) {
    await setWindow(page, width, colorScheme)
    // A slow page is not looked at: that takes minutes, and finds nothing else.
    if (isSlow) continue
    const { violations, looks } = await page.evaluate<Seen>(
      `lookForTests(${JSON.stringify([...judged])}, ${which === "above"})`,
    )
    for (const each of looks) judged.add(each)
    wrong.push(...violations.map((text) => `${name}, ${width} px, ${colorScheme}: ${text}`))
    if (pictures !== null) await takePicture(page, pictures, `${name}-${width}-${colorScheme}`)
  }
  await page.setViewportSize({ width: firstWindow.width, height: firstWindow.height })
  expect(wrong).toEqual([])
}

/** The findings of `lookForTests`. */
interface Seen {
  readonly violations: readonly string[]
  /** The texts that passed now: their colors, sizes and backgrounds, as numbers. */
  readonly looks: readonly number[]
}

/** The looks of texts that passed on some page. */
const judged = new Set<number>()

async function takePicture(page: Page, directory: string, name: string): Promise<void> {
  mkdirSync(directory, { recursive: true })
  await page.screenshot({ path: join(directory, `${name}.jpg`), type: "jpeg", quality: 80, fullPage: true })
}

async function setWindow(page: Page, width: number, colorScheme: "light" | "dark"): Promise<void> {
  if (page.viewportSize()?.width !== width) await page.setViewportSize({ width, height: firstWindow.height })
  await page.emulateMedia({ colorScheme, reducedMotion: firstWindow.reducedMotion })
}

/**
 * Runs in each document before its own scripts. Keeps what the page says to screen readers in `saidForTests`. Defines
 * `lookForTests`, which returns the violations of WCAG 2.2 A and AA, and the elements that reach beyond the right edge of the
 * window.
 *
 * The rules of axe are slow, so each runs where it can find something else than before: those about colors on a text whose
 * colors, size and background no text before had; those about places when something has moved; the others when the document has
 * changed, and on elements that only the narrow window shows. They skip the later rows of a long list, since these are like the
 * first ones. While a dialog is open, they only check the dialog: the screen behind it was checked before and cannot be used.
 */
export const lookScript = `{
  const standards = ${JSON.stringify(["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"])}
  const laterRows = "tbody tr:nth-child(n + 12)"
  const dark = matchMedia("(prefers-color-scheme: dark)")
  let isDark = dark.matches
  dark.addEventListener("change", () => (isDark = dark.matches))
  let before = { html: "", visible: new Set(), places: "" }

  globalThis.saidForTests = []
  let said = []
  new MutationObserver(() => {
    const earlier = said
    said = [...document.querySelectorAll("[role=status]")].map(({ textContent }) => textContent)
    saidForTests.push(...said.filter((text) => text !== "" && !earlier.includes(text)))
  }).observe(document, { subtree: true, childList: true, characterData: true })

  globalThis.lookForTests = async (judged, isAbove) => {
    await themeIsShown()
    const root = (isAbove && document.querySelector("dialog:modal")) || document.body
    const all = [root, ...root.querySelectorAll("*")]
    const elements = all.filter((element) => !element.closest(laterRows))
    const texts = textsByLook(elements)
    for (const look of judged) texts.delete(look)
    const colors = await run([...texts.values()], { ...colorRules(), resultTypes: ["violations", "passes"] })
    const violations = [
      ...(await violationsIn(root === document.body ? document : root, elements)),
      ...textsOf(colors.violations),
      ...all.filter(isCutOff).slice(0, 3).map((element) => "cut off: " + element.outerHTML.slice(0, 200)),
    ]
    const passed = new Set(colors.passes.flatMap(({ nodes }) => nodes.map(({ element }) => element)))
    return { violations, looks: [...texts].filter(([, element]) => passed.has(element)).map(([look]) => look) }
  }

  // Findings of the rules that are not about colors.
  async function violationsIn(root, elements) {
    const earlier = before
    const html = (root.documentElement ?? root).outerHTML
    const visible = new Set(elements.filter(isVisible))
    const places = innerWidth + elements.map(placeOf).join(" ")
    before = { html, visible, places }
    if (html !== earlier.html) return violationsOf([root], otherRules())
    if (places === earlier.places) return []
    const shown = visible.difference(earlier.visible)
    return [
      ...(await violationsOf([root], { runOnly: ["target-size", "scrollable-region-focusable"] })),
      ...(await violationsOf([...shown].filter(({ parentElement }) => !shown.has(parentElement)), otherRules())),
    ]
  }

  async function violationsOf(include, rules) {
    const exclude = [...document.querySelectorAll(laterRows)]
    return textsOf((await run(include, rules, exclude)).violations)
  }

  async function run(include, rules, exclude = []) {
    if (include.length === 0) return { violations: [], passes: [] }
    return axe.run({ include, exclude }, { resultTypes: ["violations"], ...rules, selectors: false, elementRef: true })
  }

  function textsOf(violations) {
    return violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => id + ": " + html.slice(0, 200)))
  }

  // Scripts hear of another theme a frame or two later, and colors may then take a moment to change.
  async function themeIsShown() {
    do await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)))
    while (isDark !== dark.matches)
    const changes = document.getAnimations().filter((animation) => animation instanceof CSSTransition)
    await Promise.allSettled(changes.map(({ finished }) => finished))
  }

  function colorRules() {
    return { runOnly: colorRuleIds() }
  }

  function otherRules() {
    return { runOnly: standards, rules: Object.fromEntries(colorRuleIds().map((id) => [id, { enabled: false }])) }
  }

  function colorRuleIds() {
    const rules = axe.getRules(standards).filter(({ tags }) => tags.includes("cat.color"))
    return rules.map(({ ruleId }) => ruleId)
  }

  // One text of each look: what it and all around it say about colors, and how large it is.
  function textsByLook(elements) {
    const looks = new Map()
    const aroundOf = ({ parentElement }) => {
      if (parentElement === null) return ""
      if (!looks.has(parentElement)) looks.set(parentElement, lookOf(parentElement, aroundOf(parentElement)))
      return looks.get(parentElement)
    }
    const texts = new Map()
    for (const element of elements) {
      const look = lookOf(element, aroundOf(element))
      looks.set(element, look)
      const key = hashOf(look + getComputedStyle(element).font)
      if (hasText(element) && !texts.has(key)) texts.set(key, element)
    }
    return texts
  }

  function lookOf(element, around) {
    const { color, backgroundColor, backgroundImage, opacity, position, textShadow, filter } = getComputedStyle(element)
    const own = [color, backgroundColor, backgroundImage, opacity, position, textShadow, filter].join()
    return around.endsWith(own) ? around : around + "/" + own
  }

  function hasText(element) {
    if (!isVisible(element) || element.matches(":disabled, .hidden, .skip, [type=radio], [type=checkbox]")) return false
    // Elements below a window cannot be judged.
    const isBelow = document.querySelector("dialog:modal")?.contains(element) === false
    const isText = (node) => node.nodeType === Node.TEXT_NODE && node.data.trim() !== ""
    return !isBelow && (element.matches("input, select, textarea") || [...element.childNodes].some(isText))
  }

  function isVisible(element) {
    return element.checkVisibility({ visibilityProperty: true })
  }

  // FNV-1a
  function hashOf(text) {
    let hash = 0x811c9dc5
    for (let index = 0; index < text.length; index++) hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193)
    return hash
  }

  function placeOf(element) {
    const { x, y, width, height } = element.getBoundingClientRect()
    return [x, y, width, height, getComputedStyle(element).visibility].join()
  }

  function isCutOff(element) {
    return element.getBoundingClientRect().right > innerWidth + 1 && !element.closest(".hidden, .skip, .away, .u-wrap, .CodeMirror")
  }
}
`
