/**
 * Waits of tests. A page shows nothing at once: each of these looks again until it holds, and says what was there when it never
 * did.
 */
import { expect } from "bun:test"
import type { Locator, Page } from "playwright-core"
import { eventually } from "../../support/eventually.ts"

/** Waits until so many elements are there. */
export async function counted(elements: Locator, count: number): Promise<void> {
  await eventually(async () => expect(await elements.count()).toBe(count))
}

/** Presses Tab until the element with this accessible name has the focus; fails when none gets it. */
export async function tabTo(page: Page, name: string): Promise<void> {
  // A window begins at its first field.
  if ((await page.evaluate<string>(nameOfFocused)) === name) return
  await eventually(async () => {
    const passed: string[] = []
    for (let pressed = 0; pressed < 60; pressed++) {
      await page.keyboard.press("Tab")
      const focused = await page.evaluate<string>(nameOfFocused)
      if (focused === name) return
      passed.push(focused)
    }
    throw new Error(`'${name}' cannot be reached with Tab, but these can: ${passed.join(", ")}`)
  })
}

/** Goes to the element with this accessible name by keyboard alone, and presses a key there. */
export async function pressByKeys(page: Page, name: string, key = "Enter"): Promise<void> {
  await tabTo(page, name)
  await page.keyboard.press(key)
}

const nameOfFocused = `(() => {
  const element = document.activeElement
  return element.getAttribute("aria-label") ?? (element.labels?.[0]?.firstChild.textContent || element.labels?.[0]?.textContent) ?? element.textContent ?? ""
})().trim()`

/** Waits until the texts that a screen reader reads after the name of a field match. */
export async function described(field: Locator, text: RegExp): Promise<void> {
  await eventually(async () => expect(await descriptionOf(field)).toMatch(text))
}

/** The texts that a screen reader reads after the name of a field. */
const descriptionOf = (field: Locator): Promise<string> =>
  field.evaluate((element) => {
    const ids = element.getAttribute("aria-describedby")?.split(" ") ?? []
    return ids.map((id: string) => element.ownerDocument.getElementById(id)?.textContent).join(" ")
  })

/**
 * Waits until the first answers that a page shows are there. What is below them moves when they come, so that a button may not be
 * where the pointer goes down on it.
 */
export async function loaded(page: Page): Promise<void> {
  await page.locator(".loading").first().waitFor({ state: "detached" })
}

/** Waits until nothing of a page stands for an answer that is still to come. */
export async function settled(page: Page): Promise<void> {
  await page.locator("[aria-busy=true]:not([hidden] *)").first().waitFor({ state: "detached" })
}

/** Waits until a page says a text to screen readers, or has said it since the last call: such a text may leave again soon. */
export async function said(page: Page, text: string): Promise<void> {
  await eventually(async () => {
    const texts = await page.evaluate<string[]>("saidForTests")
    expect(texts.join("\n")).toContain(text)
    const upToIt = texts.findIndex((each) => each.includes(text)) + 1
    await page.evaluate(`saidForTests.splice(0, ${upToIt})`)
  })
}
