import { addressOf } from "../../client/address.ts"
import type { EntryOf, ListId, ReadInput } from "../../client/operations.ts"
import { Problem } from "../../client/problem.ts"
import { read, send } from "../../client/request.ts"
import { may } from "../../client/session.ts"
import { formatInstant } from "../../kit/text.tsx"

/** Something that a search finds. */
export interface Found {
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
export async function findText(text: string, signal: AbortSignal): Promise<readonly Found[]> {
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
export function placeOf({ href, title, note }: Found): string {
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
