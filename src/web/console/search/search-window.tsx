import { useEffect, useRef, useState } from "preact/hooks"
import { addressOf } from "../../client/address.ts"
import { after } from "../../client/browser.ts"
import type { Problem, Unreachable } from "../../client/problem.ts"
import { may } from "../../client/session.ts"
import { closeWindow, Dialog } from "../../kit/dialog.tsx"
import { Icon } from "../../kit/icon.tsx"
import { ErrorBox } from "../../kit/states.tsx"
import { useApiChoices } from "../choices.tsx"
import { type Found, findText, placeOf } from "./find-text.ts"

interface SearchWindowProps {
  readonly screens: readonly { readonly path: string; readonly title: string }[]
}

const typingPauseMs = 200
/** Longer texts are no name, id or key. */
const maxLength = 200

/**
 * One field that finds accounts, keys, kept requests, people, invitations, APIs and screens. The typed text stays out of
 * addresses.
 */
export function SearchWindow({ screens }: SearchWindowProps) {
  const apis = useApiChoices()
  const [text, setText] = useState("")
  const [answer, setAnswer] = useState<{ readonly text: string; readonly rows: readonly Found[] } | null>(
    null,
  )
  // Enter must not open what was found for another text.
  const found = answer?.text === text ? answer.rows : null
  const [error, setError] = useState<Problem | Unreachable | null>(null)
  const list = useRef<HTMLUListElement>(null)
  /** Whether Enter was pressed before the answer was there. */
  const opensFirst = useRef(false)
  const word = text.trim().toLowerCase()

  useEffect(() => {
    setError(null)
    if (word === "") return
    const abort = new AbortController()
    const cancel = after(typingPauseMs, () => {
      findText(text.trim(), abort.signal).then(
        (rows) => abort.signal.aborted || setAnswer({ text, rows }),
        (thrown) => abort.signal.aborted || setError(thrown),
      )
    })
    return () => {
      cancel()
      abort.abort()
    }
  }, [text])

  useEffect(() => {
    if (found !== null && opensFirst.current) list.current?.querySelector("a")?.click()
  }, [found])

  const places: Found[] =
    word === ""
      ? []
      : [
          ...screens
            .filter(({ title }) => title.toLowerCase().includes(word))
            .map(({ path, title }) => ({ kind: "Screen", title, note: "", href: addressOf(path) })),
          ...(may("history.calls") ? apis : [])
            .filter(([api]) => api.includes(word))
            .slice(0, 5)
            .map(([api]) => ({ kind: "API", title: api, note: "", href: addressOf("/", { api }) })),
        ]
  const rows = [...(found ?? []), ...places]

  /** The arrows lead through what was found, and Enter in the field opens the first. */
  function move(event: KeyboardEvent): void {
    const links = [...(list.current?.querySelectorAll("a") ?? [])]
    const present = links.findIndex((link) => link.matches(":focus"))
    // A browser would empty the field, and only the next Escape would end the search.
    if (event.key === "Escape") closeWindow()
    else if (event.key === "Enter" && present < 0) {
      if (found !== null) links[0]?.click()
      else opensFirst.current = word !== ""
    } else if (event.key === "ArrowDown") links[Math.min(present + 1, links.length - 1)]?.focus()
    else if (event.key === "ArrowUp") links[Math.max(present - 1, 0)]?.focus()
    else return
    event.preventDefault()
  }

  return (
    <Dialog title="Search">
      <form class="stack gap-4" onKeyDown={move} onSubmit={(event) => event.preventDefault()}>
        <input
          type="search"
          aria-label="Search"
          placeholder="Account, e-mail, key, request, API"
          maxLength={maxLength}
          autocomplete="off"
          spellcheck={false}
          onInput={({ currentTarget }) => {
            opensFirst.current = false
            setText(currentTarget.value)
          }}
        />
        <p class="hint" role="status">
          {word === ""
            ? "A name, an e-mail address, your own id, the beginning of an id, the id of a kept request, or the text of a key, which is neither stored nor logged."
            : found === null && error === null
              ? "Searching…"
              : rows.length === 0 && error === null
                ? "Nothing found. Try a part of a name, or a whole e-mail address or id."
                : `${rows.length} found`}
        </p>
        {error && <ErrorBox error={error} onRetry={() => setText(`${text} `)} />}
        <ul class="rows lined found" ref={list}>
          {rows.map(({ kind, title, note, href }) => (
            <li class="row between" key={placeOf({ kind, title, note, href })}>
              <a class="inline" href={href} onClick={closeWindow}>
                <Icon name="next" />
                {title}
              </a>
              <span class="muted">
                {kind}
                {note !== "" && ` · ${note}`}
              </span>
            </li>
          ))}
        </ul>
      </form>
    </Dialog>
  )
}
