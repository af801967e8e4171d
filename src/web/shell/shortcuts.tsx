import { useEffect } from "preact/hooks"
import { go } from "../client/address.ts"
import { after } from "../client/browser.ts"
import { Dialog, openWindow } from "../kit/dialog.tsx"
import { Facts } from "../kit/facts.tsx"

/** A screen with what the keyboard needs of it. */
interface Place {
  readonly path: string
  readonly title: string
}

interface ShortcutsProps {
  readonly screens: readonly Place[]
  /** Opens the search; absent where there is none. */
  readonly search?: (() => void) | undefined
}

/** How long a key waits for the second one of a pair. */
const pairMs = 1_500

/** Single keys: `/` goes to the filter, `g` and a letter to a screen, `?` shows the keys, Ctrl+K searches. */
export function Shortcuts({ screens, search }: ShortcutsProps) {
  const letters = lettersOf(screens)
  useEffect(() => {
    let isPair = false
    let cancel = () => {}
    function pressed(event: KeyboardEvent): void {
      if (search && event.key === "k" && (event.ctrlKey || event.metaKey)) {
        event.preventDefault()
        if (!document.querySelector("dialog[open]")) search()
        return
      }
      if (event.ctrlKey || event.metaKey || event.altKey || isTaken(event.target)) return
      cancel()
      const screen = isPair ? letters.get(event.key) : undefined
      isPair = false
      if (screen) go(screen.path)
      else if (event.key === "g") {
        isPair = true
        cancel = after(pairMs, () => {
          isPair = false
        })
      } else if (event.key === "?") openWindow(<Keys letters={letters} search={search} />)
      else if (event.key === "/") document.querySelector<HTMLElement>("[data-filter]")?.focus()
      else return
      event.preventDefault()
    }
    addEventListener("keydown", pressed)
    return () => {
      cancel()
      removeEventListener("keydown", pressed)
    }
  })
  return null
}

interface KeysProps extends Pick<ShortcutsProps, "search"> {
  readonly letters: ReadonlyMap<string, Place>
}

function Keys({ letters, search }: KeysProps) {
  const key = (text: string) => <kbd>{text}</kbd>
  return (
    <Dialog title="Keyboard shortcuts">
      <Facts
        facts={[
          search ? ["Search everything", key("Ctrl K")] : null,
          ["Go to the filter of a list", key("/")],
          ...[...letters].map(([letter, { title }]) => [`Go to ${title}`, key(`g ${letter}`)] as const),
          ["Show these keys", key("?")],
        ]}
      />
    </Dialog>
  )
}

/** Whether keys are for something else: a field, or a window above the screen. */
function isTaken(target: EventTarget | null): boolean {
  if (document.querySelector("dialog[open]")) return true
  return target instanceof Element && target.closest("input, select, textarea, [contenteditable]") !== null
}

/** A letter for each screen: the first of its title that no screen before it has. */
function lettersOf(screens: readonly Place[]): ReadonlyMap<string, Place> {
  const letters = new Map<string, Place>()
  for (const screen of screens) {
    const letter = [...screen.title.toLowerCase()].find((each) => /[a-z]/.test(each) && !letters.has(each))
    if (letter !== undefined) letters.set(letter, screen)
  }
  return letters
}
