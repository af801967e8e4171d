import { InputRejected } from "../apis/contract.ts"
import type { Page } from "./admin-store.ts"
import {
  findInBody,
  type KeptRequest,
  type NumberedRequest,
  type RequestBlock,
  type RequestFilter,
  valuesOfFilter,
} from "./request-block.ts"
import type { PassStep } from "./retention.ts"
import type { Run } from "./rows.ts"

/** The requests of `--keep-requests`, in blocks. Every method may reject with StoreUnavailable. */
export interface KeptRequests {
  /** Adds blocks in one transaction. Those that were added before are ignored. */
  add(blocks: readonly RequestBlock[]): Promise<void>
  /** Requests, newest first. A page may have fewer than its limit, or none, and be followed: it ends when much was looked at. */
  find(filter: RequestFilter, page: Page): Promise<RequestPage>
  /** Deletes blocks whose requests all ended before a time: about as many rows as the limit. It always begins at the start. */
  deleteBefore(ms: number, limit: number): Promise<PassStep>
}

/** A part of the requests of a search. */
export interface RequestPage {
  readonly requests: readonly KeptRequest[]
  /** Where the next page begins after; null at the end. */
  readonly next: Place | null
}

/** The place of a request: its time, and the process, time and number in its block. */
type Place = readonly [atMs: number, process: string, blockMs: number, index: number]

/** The longest time between the first request of a block and {@link RequestBlock.atMs}. Those that collect blocks keep to it. */
export const maxSpanMs = 2_000

/** Entries of the index that one statement reads. */
const entriesPerStep = 512
/** A page ends after so many entries of the index, or so many blocks. */
const maxEntries = 4_096
const maxBlocks = 64
/** Blocks that one statement reads: few at first, since most searches need few. */
const blocksAtOnce = { first: 2, most: 8 }

type Found = NumberedRequest & { readonly process: string; readonly blockMs: number }
type Candidate = { readonly atMs: number; readonly process: string; readonly fits: boolean | number }

/**
 * Finds requests in any kind of store. Each of its statements takes a bounded time, and so does a page.
 * @param read gives way to other work before each statement
 */
export async function findRequests(read: Run, filter: RequestFilter, page: Page): Promise<RequestPage> {
  const after = placeOf(page)
  const wanted = {
    ...filter,
    toMs: Math.min(filter.toMs ?? Number.MAX_SAFE_INTEGER, after ? after[0] + 1 : Number.MAX_SAFE_INTEGER),
  }
  const found: Found[] = []
  let [entries, blocks, atOnce] = [0, 0, blocksAtOnce.first]
  let candidates: Candidate[] = []
  let last: Candidate | null = null
  let isEnd = false
  for (;;) {
    const step: Candidate[] = []
    while (step.length < atOnce && !(isEnd && candidates.length === 0)) {
      const candidate = candidates.shift()
      if (candidate) {
        if (candidate.fits) step.push(candidate)
        continue
      }
      if (entries >= maxEntries && step.length > 0) break
      candidates = [...(await readCandidates(read, wanted, last))]
      entries += candidates.length
      isEnd = candidates.length < entriesPerStep
      last = candidates.at(-1) ?? last
      if (entries >= maxEntries && !candidates.some(({ fits }) => fits)) {
        candidates = []
        break
      }
    }
    found.push(
      ...(await readBlocks(read, step, wanted)).filter((one) => after === null || compare(one, after) > 0),
    )
    blocks += step.length
    atOnce = Math.min(2 * atOnce, blocksAtOnce.most)
    const isOver = isEnd && candidates.length === 0
    // What is read from now on ended at this time or before.
    const restMs = isOver
      ? Number.NEGATIVE_INFINITY
      : ((candidates[0] ?? last)?.atMs ?? Number.NEGATIVE_INFINITY)
    const settled = found.filter(({ atMs }) => atMs > restMs)
    const isFull = settled.length > page.limit
    const isTired =
      (blocks >= maxBlocks || entries >= maxEntries) && restMs < (after?.[0] ?? Number.POSITIVE_INFINITY)
    if (!isOver && !isFull && !isTired) continue
    const requests = settled.sort((a, b) => compare(a, toPlace(b))).slice(0, page.limit)
    const end = requests.at(-1)
    if (isFull && end) return { requests, next: toPlace(end) }
    return { requests, next: isOver ? null : [restMs + 1, "", 0, 0] }
  }
}

/** Blocks that may have what is wanted, newest first, with whether all entries of the index speak for it. */
function readCandidates(
  read: Run,
  filter: RequestFilter,
  last: Candidate | null,
): Promise<readonly Candidate[]> {
  const values: (string | number)[] = []
  const text = (value: string) => `$${values.push(value)}::text`
  const number = (value: number) => `$${values.push(value)}::bigint`
  const [lead, ...others] = valuesOfFilter(filter)
  const toMs = filter.toMs ?? Number.MAX_SAFE_INTEGER
  const conditions = [
    ...(lead === undefined ? [] : [`value = ${text(lead)}`]),
    `at_ms < ${number(Math.min(toMs + maxSpanMs, Number.MAX_SAFE_INTEGER))}`,
    `from_ms < ${number(toMs)}`,
    ...(filter.fromMs === undefined ? [] : [`at_ms >= ${number(filter.fromMs)}`]),
    ...(last === null ? [] : [`(at_ms, process) < (${number(last.atMs)}, ${text(last.process)})`]),
  ]
  const table = lead === undefined ? "kept_requests" : "kept_request_values"
  const fits = others.map(
    (value) => `EXISTS (SELECT 1 FROM kept_request_values AS other
      WHERE other.value = ${text(value)} AND other.at_ms = entry.at_ms AND other.process = entry.process)`,
  )
  const statement = `
    SELECT at_ms::float8 AS "atMs", process, ${fits.length > 0 ? fits.join(" AND ") : "true"} AS fits FROM (
      SELECT at_ms, process FROM ${table} WHERE ${conditions.join(" AND ")}
      ORDER BY at_ms DESC, process DESC LIMIT ${entriesPerStep}) AS entry
    ORDER BY at_ms DESC, process DESC`
  return read<Candidate>(statement, values)
}

async function readBlocks(
  read: Run,
  blocks: readonly Candidate[],
  filter: RequestFilter,
): Promise<readonly Found[]> {
  if (blocks.length === 0) return []
  const places = blocks.map((_, n) => `$${n + 1}::bigint`).join(", ")
  const rows = await read<{ atMs: number; process: string; body: string }>(
    `SELECT at_ms::float8 AS "atMs", process, body FROM kept_requests WHERE at_ms IN (${places})`,
    blocks.map(({ atMs }) => atMs),
  )
  // Blocks of other processes may have the same time.
  const wanted = rows.filter((row) =>
    blocks.some((one) => one.atMs === row.atMs && one.process === row.process),
  )
  return wanted.flatMap(({ atMs: blockMs, process, body }) =>
    findInBody(body, filter).map((request) => ({ ...request, process, blockMs })),
  )
}

function toPlace({ atMs, process, blockMs, index }: Found): Place {
  return [atMs, process, blockMs, index]
}

/** Negative for a request that comes before a place, and positive for one after it. */
function compare(
  { atMs, process, blockMs, index }: Found,
  [ofMs, ofProcess, ofBlockMs, ofIndex]: Place,
): number {
  if (atMs !== ofMs) return ofMs - atMs
  if (process !== ofProcess) return process < ofProcess ? 1 : -1
  return ofBlockMs - blockMs || ofIndex - index
}

function placeOf({ after }: Page): Place | null {
  if (after === null) return null
  const [atMs, process, blockMs, index, ...more] = after
  const isPlace =
    typeof atMs === "number" &&
    typeof process === "string" &&
    typeof blockMs === "number" &&
    typeof index === "number"
  if (isPlace && more.length === 0) return [atMs, process, blockMs, index]
  throw new InputRejected("after", "must be the 'next' of a page of this list")
}
