import { addressOf } from "../../client/address.ts"
import type { ReadId, ReadInput } from "../../client/operations.ts"
import { Problem } from "../../client/problem.ts"
import { read, send } from "../../client/request.ts"
import { may } from "../../client/session.ts"

/** Something that a search finds. */
export interface Found {
  readonly kind: string
  readonly title: string
  readonly note: string
  readonly href: string
}

const shown = 6

/**
 * Finds accounts and keys by what was typed: the text of a key, an id, an e-mail address, an own id, a part of a name.
 * @throws Problem, Unreachable
 */
export async function findText(text: string, signal: AbortSignal): Promise<readonly Found[]> {
  // The whole text of a key is in no address: a search for it is a POST.
  if (/^pk-[0-9A-Za-z]{7,}$/.test(text)) return findKey(text)
  const account = async (input: ReadInput<"accounts.list">) => accountsOf(input, signal)
  const keys = async (input: ReadInput<"keys.list">) => keysOf(input, signal)
  const searches = /^pk-/.test(text)
    ? [keys({ prefix: text })]
    : text.includes("@")
      ? [account({ email: text })]
      : [
          account({ search: text }),
          account({ external_id: text }),
          oneKey(text, signal),
          keys({ external_id: text }),
        ]
  const found = (await Promise.all(searches)).flat()
  return found.filter(({ href }, index) => found.findIndex((each) => each.href === href) === index)
}

async function findKey(key: string): Promise<readonly Found[]> {
  if (!may("keys.find")) return []
  const found = await orNone(send("keys.find", { key }))
  return found ? [toFound(found, `${found.account_name}, ${found.state}`)] : []
}

async function oneKey(id: string, signal: AbortSignal): Promise<readonly Found[]> {
  if (!id.startsWith("key_") || !may("keys.get")) return []
  const found = await orNone(read("keys.get", { id }, signal))
  return found ? [toFound(found, found.account)] : []
}

async function accountsOf(input: ReadInput<"accounts.list">, signal: AbortSignal): Promise<readonly Found[]> {
  const page = await listOrNone("accounts.list", { ...input, limit: shown }, signal)
  return (page?.data ?? []).map(({ id, name, email, plan }) => ({
    kind: "Account",
    title: name,
    note: email ?? plan,
    href: addressOf(`/accounts/${id}`),
  }))
}

async function keysOf(input: ReadInput<"keys.list">, signal: AbortSignal): Promise<readonly Found[]> {
  const page = await listOrNone("keys.list", { ...input, limit: shown }, signal)
  return (page?.data ?? []).map((key) => toFound(key, key.account_name))
}

function toFound({ id, name, prefix }: { id: string; name: string; prefix: string }, note: string): Found {
  return { kind: "Key", title: name || `${prefix}…`, note, href: addressOf(`/keys/${id}`) }
}

function listOrNone<Id extends ReadId>(id: Id, input: ReadInput<Id>, signal: AbortSignal) {
  return may(id) ? orNone(read(id, input, signal)) : null
}

/** Nothing is found by a text that is no value of a parameter, or no id. */
async function orNone<T>(reading: Promise<T>): Promise<T | null> {
  try {
    return await reading
  } catch (thrown) {
    if (thrown instanceof Problem && (thrown.status === 400 || thrown.status === 404)) return null
    throw thrown
  }
}
