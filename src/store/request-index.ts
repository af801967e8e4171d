import type { Timer } from "../apis/contract.ts"
import {
  type GroupedBlock,
  isOneOf,
  placesOf,
  readGroupText,
  toGroupText,
  toMembers,
  valuesOfList,
} from "./request-group.ts"
import type { Run } from "./rows.ts"

/** What the index of one kind of store is made with. */
export interface IndexParts {
  readonly read: Run
  /** Runs a statement that changes something, as a transaction. */
  readonly change: Run
  readonly timer: Pick<Timer, "turn">
  /** Entries that one statement adds: about a millisecond's work. */
  readonly entriesAtOnce: number
}

interface RecentBlock extends GroupedBlock {
  readonly count: number
}

interface Claim {
  readonly number: number
  readonly blocks: readonly GroupedBlock[]
}

/** A group is made of so many blocks, or of fewer with so many requests: a value costs one entry for all of them. */
const groupBlocks = 512
const groupRequests = 131_072
/** Another process takes over a group after so long without progress. */
const claimMs = 30_000
/** Blocks whose values are read at once, or that are deleted at once. */
const blocksAtOnce = 4
/** Values are put in order, so that entries on one page are added together. More of them would hold up other work. */
const maxSorted = 30_000

/**
 * Moves recent blocks into the index, if there are enough for a group. It can end at any point: another process does the rest,
 * and what is done twice has no effect.
 */
export async function indexRecent(parts: IndexParts, nowMs: number): Promise<void> {
  const { read, change, timer, entriesAtOnce } = parts
  const claim = await claimGroup(parts, nowMs)
  if (claim === null) return
  const { number, blocks } = claim
  const members = new Map<string, number[]>()
  for (let first = 0; first < blocks.length; first += blocksAtOnce) {
    await timer.turn()
    const some = blocks.slice(first, first + blocksAtOnce)
    for (const { atMs, process, list } of await readLists(read, some)) {
      const at = some.findIndex((block) => block.atMs === atMs && block.process === process)
      if (at < 0) continue
      for (const value of valuesOfList(list)) {
        const numbers = members.get(value)
        if (numbers) numbers.push(first + at)
        else members.set(value, [first + at])
      }
    }
  }
  const entries = [...members]
  if (entries.length <= maxSorted) entries.sort(([a], [b]) => (a < b ? -1 : 1))
  for (let first = 0; first < entries.length; first += entriesAtOnce) {
    await timer.turn()
    const some = entries.slice(first, first + entriesAtOnce)
    const rows = some.map((_, n) => `($${2 * n + 2}::text, $1::bigint, $${2 * n + 3}::text)`)
    await change(
      `INSERT INTO kept_request_values (value, number, members) VALUES ${rows.join(", ")} ON CONFLICT DO NOTHING`,
      [number, ...some.flatMap(([value, numbers]) => [value, toMembers(numbers)])],
    )
  }
  // From here on a search finds the blocks in both places, and takes them once.
  await change("UPDATE kept_request_groups SET claimed_ms = NULL WHERE number = $1::bigint", [number])
  await forget(parts, blocks)
}

interface LastGroup {
  readonly number: number
  readonly untilMs: number
  /** When a process last took it to finish it; null once it is finished. */
  readonly claimedMs: number | null
  readonly blocks: string
}

/** A group that this process has to finish: one that another has left behind, or a new one. Only the last can be unfinished. */
async function claimGroup(parts: IndexParts, nowMs: number): Promise<Claim | null> {
  const { read, change } = parts
  const [last] = await read<LastGroup>(
    `SELECT number::float8 AS number, until_ms::float8 AS "untilMs", claimed_ms::float8 AS "claimedMs", blocks
      FROM kept_request_groups ORDER BY number DESC LIMIT 1`,
    [],
  )
  if (!last || last.claimedMs === null) return beginGroup(parts, last ?? null, nowMs)
  if (Math.abs(nowMs - last.claimedMs) < claimMs) return null
  const claimed = await change(
    `UPDATE kept_request_groups SET claimed_ms = $1::bigint WHERE number = $2::bigint AND claimed_ms = $3::bigint
      RETURNING number`,
    [nowMs, last.number, last.claimedMs],
  )
  return claimed.length === 0 ? null : { number: last.number, blocks: readGroupText(last.blocks) }
}

/** Makes a group of the oldest blocks. Null if they are too few, or if another process was first. */
async function beginGroup(parts: IndexParts, last: LastGroup | null, nowMs: number): Promise<Claim | null> {
  const { read, change } = parts
  const recent = await read<RecentBlock>(
    `SELECT at_ms::float8 AS "atMs", from_ms::float8 AS "fromMs", process, count::float8 AS count
      FROM kept_request_recent ORDER BY at_ms, process LIMIT ${groupBlocks}`,
    [],
  )
  const inLast = new Set(last ? placeNames(readGroupText(last.blocks)) : [])
  const isLeftOver = (block: RecentBlock) => placeNames([block]).some((name) => inLast.has(name))
  // A process that finished the last group did not come to this.
  await forget(parts, recent.filter(isLeftOver))
  const blocks: RecentBlock[] = []
  let requests = 0
  for (const block of recent.filter((one) => !isLeftOver(one))) {
    if (requests >= groupRequests) break
    blocks.push(block)
    requests += block.count
  }
  if (blocks.length < groupBlocks && requests < groupRequests) return null
  const number = (last?.number ?? 0) + 1
  const fromMs = Math.min(...blocks.map((block) => block.fromMs))
  // No group may end before one with a lower number, also when a process was late with its blocks.
  const untilMs = Math.max(last?.untilMs ?? 0, ...blocks.map(({ atMs }) => atMs))
  const made = await change(
    `INSERT INTO kept_request_groups (number, from_ms, until_ms, claimed_ms, blocks)
      VALUES ($1::bigint, $2::bigint, $3::bigint, $4::bigint, $5::text) ON CONFLICT DO NOTHING RETURNING number`,
    [number, fromMs, untilMs, nowMs, toGroupText(blocks)],
  )
  return made.length === 0 ? null : { number, blocks }
}

function placeNames(blocks: readonly GroupedBlock[]): readonly string[] {
  return blocks.map(({ atMs, process }) => `${atMs} ${process}`)
}

function readLists(read: Run, blocks: readonly GroupedBlock[]) {
  return read<{ atMs: number; process: string; list: string }>(
    `SELECT at_ms::float8 AS "atMs", process, value_list AS list FROM kept_request_recent WHERE ${isOneOf(blocks)}`,
    placesOf(blocks),
  )
}

async function forget({ change, timer }: IndexParts, blocks: readonly GroupedBlock[]): Promise<void> {
  for (let first = 0; first < blocks.length; first += blocksAtOnce) {
    await timer.turn()
    const some = blocks.slice(first, first + blocksAtOnce)
    await change(`DELETE FROM kept_request_recent WHERE ${isOneOf(some)}`, placesOf(some))
  }
}
