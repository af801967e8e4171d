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
 * indexes: those took 23 to 47 µs of processor time each, and a whole metered call takes 77.
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
  /** The requests as JSON. */
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
export const blockSize = 1_024

/** The longest time between the first request of a block and {@link RequestBlock.atMs}. Those that collect blocks keep to it. */
export const maxSpanMs = 2_000

/** The form of a body: texts are numbers that count from 1 in `names`, 0 is null, and each request has {@link width} cells. */
type Body = {
  readonly from: number
  readonly names: readonly string[]
  readonly ids: readonly string[]
  readonly cells: readonly number[]
}

// The cells: milliseconds since `from`, surface, api, status, fault, parameter, account, key, credits, microseconds, address.
const width = 11
/** Is added to the number of the surface of a call that was answered again: these are few, and a cell for all takes room. */
const replayMark = 32

/** Gathers the requests of a block. */
export interface BlockBuilder {
  readonly fromMs: number
  /** How many there are. */
  readonly count: () => number
  add(request: KeptRequest): void
  end(process: string, atMs: number): RequestBlock
}

/** Begins a block with a request at a time. */
export function createBlockBuilder(fromMs: number): BlockBuilder {
  const names = new Map<string, number>()
  const ids: string[] = []
  const cells: number[] = []

  function nameOf(text: string | null): number {
    if (text === null) return 0
    let number = names.get(text)
    if (number === undefined) {
      number = names.size + 1
      names.set(text, number)
    }
    return number
  }

  return {
    fromMs,
    count: () => ids.length,
    add(request) {
      const { atMs, requestId, surface, api, status, fault, parameter, account, key, credits, ms, address } =
        request
      ids.push(requestId)
      cells.push(
        atMs - fromMs,
        surfaces.indexOf(surface) + (request.isReplay ? replayMark : 0),
        nameOf(api),
        status,
        nameOf(fault),
        nameOf(parameter),
        nameOf(account),
        nameOf(key),
        credits,
        Math.round(ms * 1_000),
        nameOf(address),
      )
    },
    end(process, atMs) {
      const body: Body = { from: fromMs, names: [...names.keys()], ids, cells }
      const values = valuesOf(body)
      return { atMs, fromMs, process, count: ids.length, body: JSON.stringify(body), values }
    },
  }
}

/**
 * The values of a search in the index, the one first that the fewest blocks have. A request that failed has values of its own, since
 * the question is mostly why an account's calls failed.
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
export function findInBody(text: string, filter: RequestFilter): readonly NumberedRequest[] {
  const body = toBody(text)
  const { names, ids, cells, from } = body
  const name = (number = 0) => names[number - 1] ?? null
  const matches = createMatch(body, filter)
  const found: NumberedRequest[] = []
  for (let index = 0; index < ids.length; index++) {
    if (!matches(index)) continue
    const at = index * width
    const surface = cells[at + 1] ?? 0
    found.push({
      index,
      atMs: from + (cells[at] ?? 0),
      requestId: ids[index] ?? "",
      surface: surfaces[surface % replayMark] ?? "none",
      api: name(cells[at + 2]) ?? "none",
      status: cells[at + 3] ?? 0,
      fault: name(cells[at + 4]),
      parameter: name(cells[at + 5]),
      account: name(cells[at + 6]),
      key: name(cells[at + 7]),
      credits: cells[at + 8] ?? 0,
      isReplay: surface >= replayMark,
      ms: (cells[at + 9] ?? 0) / 1_000,
      address: name(cells[at + 10]),
    })
  }
  return found
}

/** Compares numbers: to make texts of all requests of a block takes several times as long. */
function createMatch({ names, ids, cells, from }: Body, filter: RequestFilter): (index: number) => boolean {
  const { requestId, status, api, fromMs = 0, toMs = Number.POSITIVE_INFINITY } = filter
  const equal = [
    [4, filter.fault],
    [6, filter.account],
    [7, filter.key],
  ].flatMap(([cell, text]): (readonly [number, number])[] =>
    typeof cell === "number" && typeof text === "string" ? [[cell, names.indexOf(text) + 1]] : [],
  )
  if (equal.some(([, number]) => number === 0)) return () => false
  const apis = new Set(
    names.flatMap((list, n) => (api !== undefined && list.split(",").includes(api) ? [n + 1] : [])),
  )
  return (index) => {
    const at = index * width
    const ms = from + (cells[at] ?? 0)
    if (ms < fromMs || ms >= toMs) return false
    if (requestId !== undefined && ids[index] !== requestId) return false
    if (api !== undefined && !apis.has(cells[at + 2] ?? 0)) return false
    if (status !== undefined && !hasStatus(cells[at + 3] ?? 0, status)) return false
    return equal.every(([cell, number]) => cells[at + cell] === number)
  }
}

function hasStatus(status: number, wanted: string): boolean {
  return wanted === String(status) || wanted === classOf(status)
}

function classOf(status: number): string {
  return `${Math.floor(status / 100)}xx`
}

function toBody(text: string): Body {
  return JSON.parse(text)
}

/** The cells of a request whose texts a search finds it by. */
const kinds = { api: 2, account: 6, key: 7 }

function valuesOf({ names, ids, cells }: Body): readonly string[] {
  /** By a text's number: 1 if a request has it, 3 if one that failed has it. */
  const seen = Object.entries(kinds).map(([kind, cell]) => ({
    kind,
    cell,
    by: new Uint8Array(names.length + 1),
  }))
  const statuses = new Set<number>()
  const faults = new Set<number>()
  const stems = new Set<string>()
  let lastStem = ""
  for (let index = 0; index < ids.length; index++) {
    const at = index * width
    const fault = cells[at + 4] ?? 0
    const status = cells[at + 3] ?? 0
    const mark = fault > 0 || status >= 400 ? 3 : 1
    const stem = stemOf(ids[index] ?? "")
    if (stem !== lastStem) stems.add(stem)
    lastStem = stem
    statuses.add(status)
    if (fault > 0) faults.add(fault)
    for (const { cell, by } of seen) {
      const number = cells[at + cell] ?? 0
      by[number] = (by[number] ?? 0) | mark
    }
  }
  const values = [...stems].map((stem) => `id ${stem}`)
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
