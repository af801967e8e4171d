import type { Surface } from "../values/request-events.ts"
import { surfaces } from "../values/request-events.ts"

/** A finished request as it is kept. It has no path, input, query, answer or text of a key. */
export interface KeptRequest {
  /** When the answer was made. */
  readonly atMs: number
  readonly requestId: string
  readonly surface: Surface
  /** The ids of all APIs that were called, with commas between them; `none` without one. */
  readonly api: string
  readonly status: number
  readonly fault: string | null
  /** The name of the parameter to change. */
  readonly parameter: string | null
  readonly account: string | null
  readonly key: string | null
  readonly credits: number
  /** Whether it was a call that was answered again under its Idempotency-Key, and not charged. */
  readonly isReplay: boolean
  /** Milliseconds until the answer was made. */
  readonly ms: number
  /** Null unless the operator wants addresses. */
  readonly address: string | null
}

/**
 * Requests that are stored together. One row with a few entries of an index costs a tenth of a row for each request with five
 * indexes: those took 37 to 57 µs of processor time each, as much as a whole metered call.
 */
export interface RequestBlock {
  /** When the last request ended, or a little later: no two blocks of a process have the same. */
  readonly atMs: number
  /** When the first one ended. */
  readonly fromMs: number
  /** A name that no other process has. */
  readonly process: string
  /** How many there are. */
  readonly count: number
  /** The requests: JSON, a line break and their rows. */
  readonly body: string
  /** What a search finds the block by. */
  readonly values: readonly string[]
}

/** The requests that a search finds; all conditions hold. */
export interface RequestFilter {
  readonly account?: string | undefined
  readonly key?: string | undefined
  readonly api?: string | undefined
  /** A status such as `404`, or a class such as `4xx`. */
  readonly status?: string | undefined
  readonly fault?: string | undefined
  readonly requestId?: string | undefined
  readonly fromMs?: number | undefined
  /** Up to, but without this time. */
  readonly toMs?: number | undefined
}

/** The most requests of a block. */
export const blockSize = 2_048

/** The longest time between the first request of a block and {@link RequestBlock.atMs}. Those that collect blocks keep to it. */
export const maxSpanMs = 2_000

/**
 * What the requests of a body have in common: most of them differ only in their time, duration and id. Texts are numbers that
 * count from 1 in `names`, 0 is null, and each kind of request has {@link width} cells. `ids` has the ids that are not in `rows`.
 */
interface Head {
  readonly from: number
  readonly names: readonly string[]
  readonly kinds: readonly number[]
  readonly ids: readonly string[]
}

// The cells: surface, api, status, fault, parameter, account, key, credits, address.
const width = 9
/** Is added to the number of the surface of a call that was answered again: these are few, and a cell for all takes room. */
const replayMark = 32
/** A key mostly has fewer kinds of requests in a block. With more, some are there several times. */
const maxCompared = 64

// A row has its kind, the milliseconds since the row before, the duration in microseconds, and 1 with the last two characters of
// its id, if the others are those of the row before, or 0. Numbers are written in digits of 5 bits, the lowest first.
const digitBits = 5
const digitBase = 1 << digitBits
const firstDigit = "0".charCodeAt(0)
/** The room that a row needs at most: three numbers of up to 11 digits, and the end of an id. */
const maxRowLength = 3 * 11 + 3

/** Gathers the requests of a block. */
export interface BlockBuilder {
  readonly fromMs: number
  /** How many there are. */
  readonly count: () => number
  /** Adds a request that did not end before the one that was added last. Its id is ASCII. */
  add(request: KeptRequest): void
  end(process: string, atMs: number): RequestBlock
}

/** Begins a block with a request at a time. */
export function createBlockBuilder(fromMs: number): BlockBuilder {
  const kinds: KeptRequest[] = []
  const kindsOfKey = new Map<string | null, number[]>()
  const ids: string[] = []
  const stems = new Set<string>()
  let rows = new Uint8Array(8_192)
  let length = 0
  let count = 0
  let lastMs = fromMs
  let lastId = ""
  let lastStem = ""

  function kindOf(request: KeptRequest): number {
    let compared = kindsOfKey.get(request.key)
    if (!compared) {
      compared = []
      kindsOfKey.set(request.key, compared)
    }
    for (const number of compared) if (isSameKind(kinds[number], request)) return number
    if (compared.length < maxCompared) compared.push(kinds.length)
    return kinds.push(request) - 1
  }

  function write(number: number): void {
    let rest = number
    while (rest >= digitBase) {
      rows[length++] = firstDigit + digitBase + (rest % digitBase)
      rest = Math.floor(rest / digitBase)
    }
    rows[length++] = firstDigit + rest
  }

  return {
    fromMs,
    count: () => count,
    add(request) {
      const { atMs, requestId, ms } = request
      if (rows.length - length < maxRowLength) {
        const more = new Uint8Array(2 * rows.length)
        more.set(rows)
        rows = more
      }
      write(kindOf(request))
      write(atMs - lastMs)
      write(Math.round(ms * 1_000))
      const end = requestId.length - 2
      if (end >= 0 && requestId.length === lastId.length && requestId.startsWith(lastStem)) {
        write(1)
        rows[length++] = requestId.charCodeAt(end)
        rows[length++] = requestId.charCodeAt(end + 1)
      } else {
        write(0)
        ids.push(requestId)
        lastId = requestId
        lastStem = stemOf(requestId)
        stems.add(lastStem)
      }
      lastMs = atMs
      count++
    },
    end(process, atMs) {
      const head = toHead(fromMs, kinds, ids)
      const text = Buffer.from(rows.buffer).toString("latin1", 0, length)
      const body = `${JSON.stringify(head)}\n${text}`
      return { atMs, fromMs, process, count, body, values: valuesOf(head, stems) }
    },
  }
}

/** Whether two requests of one key differ at most in their time, duration and id. */
function isSameKind(one: KeptRequest | undefined, other: KeptRequest): boolean {
  return (
    one !== undefined &&
    one.surface === other.surface &&
    one.api === other.api &&
    one.status === other.status &&
    one.fault === other.fault &&
    one.parameter === other.parameter &&
    one.account === other.account &&
    one.credits === other.credits &&
    one.isReplay === other.isReplay &&
    one.address === other.address
  )
}

function toHead(from: number, kinds: readonly KeptRequest[], ids: readonly string[]): Head {
  const names = new Map<string, number>()
  const nameOf = (text: string | null) => {
    if (text === null) return 0
    const number = names.get(text) ?? names.size + 1
    names.set(text, number)
    return number
  }
  const cells: number[] = []
  for (const { surface, isReplay, api, status, fault, parameter, account, key, credits, address } of kinds)
    cells.push(
      surfaces.indexOf(surface) + (isReplay ? replayMark : 0),
      nameOf(api),
      status,
      nameOf(fault),
      nameOf(parameter),
      nameOf(account),
      nameOf(key),
      credits,
      nameOf(address),
    )
  return { from, names: [...names.keys()], kinds: cells, ids }
}

/**
 * The values of a search in the index, the one first that the fewest blocks have. A request that failed has values of its own,
 * since the question is mostly why an account's calls failed.
 */
export function valuesOfFilter({ account, key, api, status, fault, requestId }: RequestFilter): string[] {
  const failed = fault !== undefined || /^[45]/.test(status ?? "") ? "failed " : ""
  return [
    ...(requestId === undefined ? [] : [`id ${stemOf(requestId)}`]),
    ...(key === undefined ? [] : [`${failed}key ${key}`]),
    ...(account === undefined ? [] : [`${failed}account ${account}`]),
    ...(fault === undefined ? [] : [`fault ${fault}`]),
    ...(api === undefined ? [] : [`${failed}api ${api}`]),
    ...(status === undefined ? [] : [`status ${status}`]),
  ]
}

/** A request with its number in its block. */
export type NumberedRequest = KeptRequest & { readonly index: number }

/** The requests of a stored block that a filter finds, in the order in which they ended. */
export function findInBody(body: string, filter: RequestFilter): readonly NumberedRequest[] {
  const { requestId: wantedId, fromMs = 0, toMs = Number.POSITIVE_INFINITY } = filter
  const end = body.indexOf("\n")
  const head: Head = JSON.parse(body.slice(0, end))
  const kinds = kindsOf(head, filter)
  const found: NumberedRequest[] = []
  if (kinds.every((kind) => kind === null)) return found
  let place = end + 1
  let atMs = head.from
  let idsRead = 0
  let id = ""

  function read(): number {
    let number = 0
    for (let scale = 1; place < body.length; scale *= digitBase) {
      const digit = body.charCodeAt(place++) - firstDigit
      number += (digit % digitBase) * scale
      if (digit < digitBase) return number
    }
    throw cutOff()
  }

  for (let index = 0; place < body.length; index++) {
    const kind = kinds[read()]
    atMs += read()
    const ms = read() / 1_000
    const isWhole = read() === 0
    if (isWhole) id = head.ids[idsRead++] ?? ""
    else place += 2
    if (place > body.length) throw cutOff()
    if (!kind || atMs < fromMs || atMs >= toMs) continue
    // Only for what may be wanted: texts of all requests of a block take several times as long as its numbers.
    const requestId = isWhole ? id : stemOf(id) + body.slice(place - 2, place)
    if (wantedId === undefined || requestId === wantedId) found.push({ ...kind, index, atMs, requestId, ms })
  }
  return found
}

function cutOff(): Error {
  return new Error("a block of kept requests is cut off")
}

type Kind = Omit<NumberedRequest, "index" | "atMs" | "requestId" | "ms">

/** The kinds of requests by their numbers, with null for those that a filter does not find. */
function kindsOf({ names, kinds }: Head, filter: RequestFilter): readonly (Kind | null)[] {
  const { account, key, api, status, fault } = filter
  const name = (number = 0) => names[number - 1] ?? null
  return Array.from({ length: kinds.length / width }, (_, number) => {
    const at = number * width
    const surface = kinds[at] ?? 0
    const kind: Kind = {
      surface: surfaces[surface % replayMark] ?? "none",
      api: name(kinds[at + 1]) ?? "none",
      status: kinds[at + 2] ?? 0,
      fault: name(kinds[at + 3]),
      parameter: name(kinds[at + 4]),
      account: name(kinds[at + 5]),
      key: name(kinds[at + 6]),
      credits: kinds[at + 7] ?? 0,
      isReplay: surface >= replayMark,
      address: name(kinds[at + 8]),
    }
    const isWanted =
      (account === undefined || kind.account === account) &&
      (key === undefined || kind.key === key) &&
      (fault === undefined || kind.fault === fault) &&
      (status === undefined || hasStatus(kind.status, status)) &&
      (api === undefined || kind.api.split(",").includes(api))
    return isWanted ? kind : null
  })
}

function hasStatus(status: number, wanted: string): boolean {
  return wanted === String(status) || wanted === classOf(status)
}

function classOf(status: number): string {
  return `${Math.floor(status / 100)}xx`
}

/** The cells of a kind of request whose texts a search finds it by. */
const searched = { api: 1, account: 5, key: 6 }

function valuesOf({ names, kinds }: Head, stems: Iterable<string>): readonly string[] {
  /** By a text's number: 1 if a request has it, 3 if one that failed has it. */
  const seen = Object.entries(searched).map(([kind, cell]) => ({
    kind,
    cell,
    by: new Uint8Array(names.length + 1),
  }))
  const statuses = new Set<number>()
  const faults = new Set<number>()
  for (let at = 0; at < kinds.length; at += width) {
    const status = kinds[at + 2] ?? 0
    const fault = kinds[at + 3] ?? 0
    const mark = fault > 0 || status >= 400 ? 3 : 1
    statuses.add(status)
    if (fault > 0) faults.add(fault)
    for (const { cell, by } of seen) {
      const number = kinds[at + cell] ?? 0
      by[number] = (by[number] ?? 0) | mark
    }
  }
  const values = Array.from(stems, (stem) => `id ${stem}`)
  for (const status of new Set([...statuses].flatMap((one) => [String(one), classOf(one)])))
    values.push(`status ${status}`)
  for (const fault of faults) values.push(`fault ${names[fault - 1]}`)
  for (const { kind, by } of seen) {
    const texts = names.filter((_, n) => by[n + 1])
    const failed = names.filter((_, n) => by[n + 1] === 3)
    for (const text of kind === "api" ? eachApi(texts) : texts) values.push(`${kind} ${text}`)
    for (const text of kind === "api" ? eachApi(failed) : failed) values.push(`failed ${kind} ${text}`)
  }
  return values
}

function eachApi(lists: readonly string[]): Iterable<string> {
  return new Set(lists.flatMap((list) => list.split(",")))
}

/**
 * The part of a request id that the index has. Ids of this program are a prefix and a count, so that 1,296 in a row have the same
 * one, and cost no entry each.
 */
function stemOf(id: string): string {
  return id.slice(0, -2)
}
