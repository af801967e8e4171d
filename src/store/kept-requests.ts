import { InputRejected } from "../apis/contract.ts"
import type { Page } from "./admin-store.ts"
import {
  findInBody,
  type KeptRequest,
  type NumberedRequest,
  type RequestBlock,
  type RequestFilter,
} from "./request-block.ts"
import { type Candidate, type Contains, createCandidates, maxLooked } from "./request-candidates.ts"
import { isOneOf, placesOf } from "./request-group.ts"
import type { PassStep } from "./retention.ts"
import type { Run } from "./rows.ts"

/** The requests of `--keep-requests`, in blocks. Every method may reject with StoreUnavailable. */
export interface KeptRequests {
  /** Adds blocks in one transaction. Those that were added before are ignored. */
  add(blocks: readonly RequestBlock[]): Promise<void>
  /** Moves blocks into the index when there are many that are not in it: in steps, between which other work is done. */
  index(nowMs: number): Promise<void>
  /** Requests, newest first. A page may have fewer than its limit, or none, and be followed: it ends when much was looked at. */
  find(filter: RequestFilter, page: Page): Promise<RequestPage>
  /**
   * Deletes blocks whose requests all ended before a time, and their entries: at most so many rows. It always begins at the
   * start.
   */
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

/** A page ends after so many blocks. */
const maxBlocks = 64
/** Blocks that one statement reads: few at first, since most searches need few. */
const blocksAtOnce = { first: 2, most: 4 }

type Found = NumberedRequest & { readonly process: string; readonly blockMs: number }

/**
 * Finds requests in any kind of store. Each of its statements takes a bounded time, and so does a page.
 * @param read gives way to other work before each statement
 */
export async function findRequests(
  read: Run,
  filter: RequestFilter,
  page: Page,
  contains: Contains,
): Promise<RequestPage> {
  const after = placeOf(page)
  const wanted = {
    ...filter,
    toMs: Math.min(filter.toMs ?? Number.MAX_SAFE_INTEGER, after ? after[0] + 1 : Number.MAX_SAFE_INTEGER),
  }
  const candidates = createCandidates(read, wanted, contains)
  const found: Found[] = []
  let blocks = 0
  let atOnce = blocksAtOnce.first
  /** Whether the next page would begin further back than this one, and nothing that was found would be read again. */
  let mayEnd = after === null
  for (;;) {
    const step = await candidates.next(atOnce, mayEnd ? maxLooked : Number.POSITIVE_INFINITY)
    const inStep = await readBlocks(read, step, wanted)
    found.push(...inStep.filter((one) => after === null || compare(one, after) > 0))
    // Blocks that overlap with those of the page before are read again. With many processes there are more than a page may read.
    blocks += step.filter(({ atMs }) => after === null || atMs < after[0]).length
    atOnce = Math.min(2 * atOnce, blocksAtOnce.most)
    // What is read from now on ended at this time or before.
    const restMs = candidates.restMs()
    const isOver = restMs === Number.NEGATIVE_INFINITY
    const settled = found.filter(({ atMs }) => atMs > restMs)
    const isFull = settled.length > page.limit
    mayEnd = restMs + 1 < (after?.[0] ?? Number.POSITIVE_INFINITY) && settled.length === found.length
    const isTired = mayEnd && (blocks >= maxBlocks || candidates.looked() >= maxLooked)
    if (!isOver && !isFull && !isTired) continue
    const requests = settled.sort((a, b) => compare(a, toPlace(b))).slice(0, page.limit)
    const end = requests.at(-1)
    if (isFull && end) return { requests, next: toPlace(end) }
    return { requests, next: isOver ? null : [restMs + 1, "", 0, 0] }
  }
}

/**
 * Deletes blocks, entries and groups in any kind of store.
 * @param change runs a statement as a transaction
 */
export async function deleteRequestsBefore(change: Run, ms: number, limit: number): Promise<PassStep> {
  // A full block takes about 7 pages of a file, and 45 with requests of thousands of accounts.
  const blocks = Math.ceil(limit / 32)
  for (const table of ["kept_requests", "kept_request_recent"]) {
    const deleted = await change(
      `DELETE FROM ${table} WHERE (at_ms, process) IN (
        SELECT at_ms, process FROM ${table} WHERE at_ms < $1::bigint ORDER BY at_ms, process LIMIT $2::bigint) RETURNING 1`,
      [ms, blocks],
    )
    if (deleted.length > 0) return { rows: deleted.length, next: "" }
  }
  const oldest = "SELECT number FROM kept_request_groups WHERE until_ms < $1::bigint ORDER BY number LIMIT 1"
  const entries = await change(
    `DELETE FROM kept_request_values WHERE (value, number) IN (
      SELECT value, number FROM kept_request_values WHERE number = (${oldest}) LIMIT $2::bigint) RETURNING 1`,
    [ms, limit],
  )
  if (entries.length === limit) return { rows: entries.length, next: "" }
  const groups = await change(`DELETE FROM kept_request_groups WHERE number = (${oldest}) RETURNING 1`, [ms])
  const rows = entries.length + groups.length
  return { rows, next: rows === 0 ? null : "" }
}

async function readBlocks(
  read: Run,
  blocks: readonly Candidate[],
  filter: RequestFilter,
): Promise<readonly Found[]> {
  if (blocks.length === 0) return []
  const rows = await read<{ atMs: number; process: string; body: string }>(
    `SELECT at_ms::float8 AS "atMs", process, body FROM kept_requests WHERE ${isOneOf(blocks)}`,
    placesOf(blocks),
  )
  return rows.flatMap(({ atMs: blockMs, process, body }) =>
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
