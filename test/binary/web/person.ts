/** A person at a page, who works by mouse or by keyboard alone. It counts what they do. */
import type { Locator, Page } from "playwright-core"
import { tabTo } from "./wait.ts"

export type Way = "mouse" | "keyboard"

/**
 * A step is a click, a typed text, or a run of keys that leads to something and presses it. A person who types by keyboard alone
 * goes to the field in the same step.
 */
export interface Person {
  readonly page: Page
  readonly way: Way
  /** Steps so far. */
  steps(): number
  /**
   * Presses a button or a link, or ticks a box.
   * @param keys what leads there at once, such as `Control+k`, for who works by keyboard; several are pressed one after the other
   */
  press(name: string, keys?: readonly string[]): Promise<void>
  /** Types into a field. */
  write(label: string, text: string): Promise<void>
  /** Chooses in a list by what the choice says. */
  choose(label: string, choice: string): Promise<void>
  /** Presses a key while typing, such as Enter. It belongs to the step before. */
  end(key: string): Promise<void>
  /** Counts a step that is not done at the page: a link opened in a mail, a command run in a terminal. */
  doesElsewhere(): void
  /** Reads what is shown. */
  sees(what: Locator): Promise<void>
}

export function createPerson(page: Page, way: Way): Person {
  let steps = 0
  const step = () => void steps++
  // Nothing below a window can be used.
  const place = async () =>
    (await page.locator("dialog:modal").count()) > 0 ? page.locator("dialog:modal") : page
  const controls = ["button", "link", "checkbox"] as const

  async function find(name: string): Promise<Locator> {
    const within = await place()
    const [first, ...others] = controls.map((role) => within.getByRole(role, { name, exact: true }))
    if (!first) throw new Error("there is no kind of control")
    return others.reduce((either, other) => either.or(other), first).first()
  }

  async function fieldOf(label: string): Promise<Locator> {
    const within = await place()
    return within.getByLabel(label, { exact: true }).and(within.locator("input, select, textarea"))
  }

  const byMouse: Pick<Person, "press" | "write" | "choose"> = {
    async press(name) {
      step()
      await (await find(name)).click()
    },
    async write(label, text) {
      const field = await fieldOf(label)
      await field.waitFor()
      if (!(await field.evaluate((element) => element === element.ownerDocument.activeElement))) {
        step()
        await field.click()
      }
      step()
      await page.keyboard.type(text)
    },
    async choose(label, choice) {
      // One click opens the list, and one chooses.
      step()
      step()
      await (await fieldOf(label)).selectOption({ label: choice })
    },
  }

  const byKeyboard: typeof byMouse = {
    async press(name, keys) {
      step()
      const control = await find(name)
      await control.waitFor()
      if (keys) return pressAll(keys)
      await tabTo(page, name)
      await page.keyboard.press((await control.getAttribute("type")) === "checkbox" ? "Space" : "Enter")
    },
    async write(label, text) {
      step()
      await (await fieldOf(label)).waitFor()
      await tabTo(page, label)
      await page.keyboard.type(text)
    },
    async choose(label, choice) {
      step()
      const field = await fieldOf(label)
      // The choices may still be on their way.
      await field.locator("option").getByText(choice, { exact: true }).waitFor({ state: "attached" })
      await tabTo(page, label)
      await page.keyboard.type(choice)
    },
  }

  async function pressAll(keys: readonly string[]): Promise<void> {
    // In this order, without waiting for each: the page takes two keys for a pair only if they come soon after each other.
    await Promise.all(keys.map((key) => page.keyboard.press(key)))
  }

  return {
    page,
    way,
    steps: () => steps,
    ...(way === "mouse" ? byMouse : byKeyboard),
    doesElsewhere: step,
    end: (key) => page.keyboard.press(key),
    sees: (what) => what.waitFor(),
  }
}
