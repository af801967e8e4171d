import type { ComponentChildren, ComponentType } from "preact"
import { useEffect, useState } from "preact/hooks"
import { addressOf, area, go, visits } from "../client/address.ts"
import { after } from "../client/browser.ts"
import type { OperationId } from "../client/operations.ts"
import { Problem, Unreachable } from "../client/request.ts"
import { session, signOut } from "../client/session.ts"
import { Button, Dialog, OpenWindow, openWindow, say } from "../kit/dialog.tsx"
import { Drawing, Icon } from "../kit/icon.tsx"
import { Facts } from "../kit/page.tsx"
import { Mark } from "./mark.tsx"
import { PreferencesFields } from "./preferences-fields.tsx"

/** One screen of the console or the portal. */
export interface Screen {
  /** Below `/console` or `/portal`: `/` for the first screen, `/accounts` for another. */
  readonly path: string
  /** In the navigation, and the heading of the screen. */
  readonly title: string
  /** The `d` of a path of 24 × 24. */
  readonly icon: string
  /** It is shown to those who may run this operation; null shows it to everyone. */
  readonly operation: OperationId | null
  readonly component: ComponentType
  /** The page below its path, such as `/accounts/acc_1`; gets the rest of the path as `id`. */
  readonly detail?: ComponentType<{ readonly id: string }>
}

/**
 * Returns a function that makes a screen which has the name of its icon as path: `/accounts` with the icon `accounts`. Its last
 * argument is as in {@link Screen}.
 */
export function screensWith<Name extends string>(icons: Readonly<Record<Name, string>>) {
  return (
    name: Name,
    title: string,
    operation: OperationId | null,
    component: ComponentType,
    detail?: Screen["detail"],
  ): Screen => ({
    path: `/${name}`,
    title,
    icon: icons[name],
    operation,
    component,
    ...(detail && { detail }),
  })
}

/** A window that searches, above all screens. */
export type SearchWindow = ComponentType<{ readonly screens: readonly Screen[] }>

interface FrameProps {
  readonly screens: readonly Screen[]
  readonly search: SearchWindow | undefined
  readonly current: Screen | null
  readonly children: ComponentChildren
}

/** The frame of every screen: the name of the service, the navigation, the name of the session. */
export function Frame({ screens, search: Search, current, children }: FrameProps) {
  const [isOpen, setOpen] = useState(false)
  const openSearch = Search ? () => openWindow(<Search screens={screens} />) : undefined
  useEffect(() => {
    setOpen(false)
    // A low window shows only some of the screens.
    document.querySelector(".side-nav [aria-current]")?.scrollIntoView({ block: "nearest" })
  }, [visits.value])
  return (
    <div class="frame">
      <a class="skip" href="#main">
        Skip to content
      </a>
      <header class="side">
        <div class="side-head">
          <Mark />
          <button
            class="button quiet square menu-button"
            type="button"
            aria-expanded={isOpen}
            aria-controls="navigation"
            aria-label="Menu"
            onClick={() => setOpen(!isOpen)}
          >
            <Icon name={isOpen ? "close" : "menu"} />
          </button>
        </div>
        <div class={isOpen ? "side-body open" : "side-body"} id="navigation">
          <div class="side-nav">
            {openSearch && (
              <Button icon="search" onClick={openSearch}>
                Search <kbd>Ctrl K</kbd>
              </Button>
            )}
            <nav aria-label={area.kind === "console" ? "Console" : "Portal"}>
              <ul>
                {screens.map((screen) => (
                  <li key={screen.path}>
                    <a href={addressOf(screen.path)} aria-current={screen === current ? "page" : undefined}>
                      <Drawing shape={screen.icon} />
                      {screen.title}
                    </a>
                  </li>
                ))}
              </ul>
            </nav>
          </div>
          <div>
            <PreferencesFields />
            <SignedInAs />
          </div>
        </div>
      </header>
      <main id="main" tabIndex={-1}>
        <div class="content">{children}</div>
      </main>
      <Shortcuts screens={screens} search={openSearch} />
      <OpenWindow />
    </div>
  )
}

function SignedInAs() {
  const { actor, account } = session.value ?? {}
  return (
    <div class="who stack apart">
      <p>
        <span class="muted small">Signed in as</span>
        <span class="who-name">{account?.name ?? actor?.name}</span>
      </p>
      <div class="who-buttons">
        <Button kind="quiet" icon="out" onClick={() => end(false)}>
          Sign out
        </Button>
        <Button kind="quiet" icon="out" onClick={() => end(true)}>
          Sign out everywhere
        </Button>
      </div>
    </div>
  )
}

async function end(everywhere: boolean): Promise<void> {
  try {
    await signOut(everywhere)
  } catch (thrown) {
    if (!(thrown instanceof Problem || thrown instanceof Unreachable)) throw thrown
    say(`You are still signed in. ${thrown.message}`)
  }
}

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
function Shortcuts({ screens, search }: ShortcutsProps) {
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
