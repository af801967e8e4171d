import { useEffect, useRef, useState } from "preact/hooks"
import { addressOf } from "../../client/address.ts"
import { after } from "../../client/browser.ts"
import type { EntryOf, ListId, ReadInput } from "../../client/operations.ts"
import { Problem, read, send, type Unreachable } from "../../client/request.ts"
import { may } from "../../client/session.ts"
import { closeWindow, Dialog } from "../../kit/dialog.tsx"
import { Icon } from "../../kit/icon.tsx"
import { ErrorBox } from "../../kit/page.tsx"
import { formatInstant } from "../../kit/text.tsx"
import { useApiChoices } from "../choices.tsx"

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

/** Something that a search finds. */
interface Found {
  readonly kind: string
  readonly title: string
  readonly note: string
  readonly href: string
}

const shown = 6
/** People and invitations are looked through here: the newest of a page. */
const looked = 1_000

/**
 * Finds accounts, keys, kept requests, people and invitations by what was typed: the text of a key, an id or its beginning, an
 * e-mail address, an own id, a part of a name.
 * @throws Problem, Unreachable
 */
async function findText(text: string, signal: AbortSignal): Promise<readonly Found[]> {
  // The whole text of a key is in no address: a search for it is a POST.
  if (/^pk-[0-9A-Za-z]{7,}$/.test(text)) return findKey(text)
  const account = (input: ReadInput<"accounts.list">) =>
    find("accounts.list", { ...input, limit: shown }, signal, ({ id, name, email, plan }) => {
      return { kind: "Account", title: name, note: email ?? plan, href: addressOf(`/accounts/${id}`) }
    })
  const keys = (input: ReadInput<"keys.list">) =>
    find("keys.list", { ...input, limit: shown }, signal, (key) => toFound(key, key.account_name))
  if (/^pk-[0-9A-Za-z]*$/.test(text)) return keys({ prefix: text })
  const found = await Promise.all([
    wholeAddress.test(text) ? account({ email: text }) : [],
    account({ search: text }),
    text.includes("@") ? [] : account({ external_id: text }),
    /^key_[0-9A-Za-z]{0,90}$/.test(text) ? keys({ id_prefix: text }) : [],
    text.includes("@") ? [] : keys({ external_id: text }),
    requestId.test(text) && !/^[a-z]{3}_/.test(text) ? requestsOf(text, signal) : [],
    text.length < 2 ? [] : peopleOf(text, signal),
    text.length < 2 ? [] : invitationsOf(text, signal),
  ])
  return found
    .flat()
    .filter((one, index, all) => all.findIndex((each) => placeOf(each) === placeOf(one)) === index)
}

/** Text that tells one result from another: several lead to the screen of people. */
function placeOf({ href, title, note }: Found): string {
  return href.includes("/people") || href.includes("/invitations") ? `${href} ${title} ${note}` : href
}

/** An address that the service does not refuse; half of one can only be a part of a name. */
const wholeAddress = /^[^@\s.]+(?:\.[^@\s.]+)*@(?:[\p{L}\d]+(?:-+[\p{L}\d]+)*\.)+(?:\p{L}+|xn--[\da-z-]+)$/iu
/** A word without a digit is a name. */
const requestId = /^(?=.*\d)[A-Za-z0-9._-]{8,128}$/

async function findKey(key: string): Promise<readonly Found[]> {
  if (!may("keys.find")) return []
  const found = await orNone(send("keys.find", { key }))
  return found ? [toFound(found, `${found.account_name}, ${found.state}`)] : []
}

async function requestsOf(id: string, signal: AbortSignal): Promise<readonly Found[]> {
  // A service that keeps no requests would refuse to search them.
  const settings = may("config.get") ? await orNone(read("config.get", {}, signal)) : null
  if (settings?.keep_requests === 0) return []
  const input = { request_id: id, limit: shown }
  return find("requests.list", input, signal, ({ request_id, api, status, at }) => ({
    kind: "Request",
    title: request_id,
    note: `${status} ${api}, ${formatInstant(at)}`,
    href: addressOf("/requests", { view: "kept", request_id }),
  }))
}

function peopleOf(text: string, signal: AbortSignal): Promise<readonly Found[]> {
  return find("people.list", { limit: looked }, signal, ({ id, name }) => {
    if (!has(text, id, name)) return null
    return { kind: "Person", title: name, note: id, href: addressOf("/people") }
  })
}

function invitationsOf(text: string, signal: AbortSignal): Promise<readonly Found[]> {
  return find("invitations.list", { limit: looked }, signal, ({ id, name, email }) => {
    if (!has(text, id, name, email)) return null
    return { kind: "Invitation", title: email, note: name, href: addressOf("/invitations") }
  })
}

/** Whether an id begins with a text, or another text has it, in any case. */
function has(text: string, id: string, ...others: readonly string[]): boolean {
  const word = text.toLowerCase()
  return id.toLowerCase().startsWith(word) || others.some((other) => other.toLowerCase().includes(word))
}

function toFound({ id, name, prefix }: { id: string; name: string; prefix: string }, note: string): Found {
  return { kind: "Key", title: name || `${prefix}…`, note, href: addressOf(`/keys/${id}`) }
}

/** The first entries of a list that are found; none if the user may not read it. */
async function find<Id extends ListId>(
  id: Id,
  input: ReadInput<Id>,
  signal: AbortSignal,
  toFound: (entry: EntryOf<Id>) => Found | null,
): Promise<readonly Found[]> {
  const page = may(id) ? await orNone(read(id, input, signal)) : null
  const entries: readonly EntryOf<Id>[] = page?.data ?? []
  return entries.flatMap((entry) => toFound(entry) ?? []).slice(0, shown)
}

/** Null if the text is no value of the parameter or no id, or if nothing is kept. */
async function orNone<T>(reading: Promise<T>): Promise<T | null> {
  try {
    return await reading
  } catch (thrown) {
    if (thrown instanceof Problem && [400, 404, 409].includes(thrown.status)) return null
    throw thrown
  }
}
