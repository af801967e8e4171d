import type { Page } from "./admin-store.ts"
import {
  firstRowAt,
  type KeptRequest,
  type KeptRequests,
  type NewRequest,
  type RequestFilter,
  type RequestPage,
  splitRequestId,
  timeOfRow,
} from "./kept-requests.ts"
import { placeOf } from "./list-page.ts"
import type { Parameter, Run } from "./rows.ts"

/** How a kind of store keeps requests. */
interface RequestParts {
  /** Runs a read that may look at many rows. */
  readonly read: Run
  /** Runs a statement as a transaction. */
  readonly change: Run
  /** Adds rows and marks in one transaction. */
  readonly insert: (rows: readonly RequestRow[], marks: readonly RequestMark[]) => Promise<void>
  /** Whether an index has the requests of an account. In a data file it would cost seven times as much as the row. */
  readonly hasAccountIndex: boolean
  /** Rows that a page looks at in their order, at most: those that take about 30 ms. */
  readonly mostInOrder: number
  /** A condition that comes first, so that a long read can be ended. */
  readonly alive: readonly string[]
}

/** A row of `kept_requests`. Texts that come often are numbers of `kept_names`. */
export interface RequestRow {
  readonly id: number
  /** The prefix of an own request id; otherwise the name of the process that has added it. */
  readonly process: number
  /** The count of an own request id; null for any other, which is in `request_id`. */
  readonly count: number | null
  readonly request_id: string | null
  readonly surface: number
  /** Null for several, which are in `apis`, each with a comma before and after it. */
  readonly api: number | null
  readonly apis: string | null
  readonly status: number
  readonly fault: number | null
  readonly parameter: string | null
  readonly account: number | null
  readonly key: number | null
  readonly credits: number
  readonly is_replay: number
  readonly us: number
  readonly address: string | null
}

/** The columns in the order of the table. */
export const requestColumns = [
  ...(["id", "process", "count", "request_id", "surface", "api", "apis", "status", "fault"] as const),
  ...(["parameter", "account", "key", "credits", "is_replay", "us", "address"] as const),
] as const satisfies readonly (keyof RequestRow)[]

/** Says that the counts of a prefix after `last` belong to requests that ended after the row `id`. */
export interface RequestMark {
  readonly process: number
  readonly last: number
  readonly id: number
}

/** Rows that a page looks at by an index, at most: it leads to rows all over the table. */
const mostByIndex = 50_000
/** Names in memory, at most. */
const mostNames = 200_000
/** A prefix has a mark so often. Milliseconds. */
const markMs = 60_000
/** No request takes longer. Milliseconds. */
const longestMs = 300_000

/** The kept requests in any kind of store. */
export function prepareKeptRequests(parts: RequestParts): KeptRequests {
  const { read, change, insert } = parts
  const numbers = new Map<string, number>()
  /** The highest count of each prefix so far, and the row of its last mark. */
  const marked = new Map<number, { last: number; id: number }>()

  /** Gives a number to each text of requests that has none. */
  async function numberNames(process: string, requests: readonly NewRequest[]): Promise<void> {
    if (numbers.size > mostNames) numbers.clear()
    const added = new Set<string>()
    const look = (name: string | null) => {
      if (name !== null && !numbers.has(name)) added.add(name)
    }
    look(process)
    for (const { surface, api, fault, account, key, ownId } of requests) {
      look(surface)
      if (!api.includes(",")) look(api)
      look(fault)
      look(account)
      look(key)
      if (ownId) look(ownId.prefix)
    }
    const missing = () => [...added].filter((name) => !numbers.has(name)).slice(0, 500)
    for (let some = missing(); some.length > 0; some = missing()) {
      if ((await readNames(some)).length === some.length) continue
      const values = some.map((_, n) => `(${n + 1}, $${n + 1}::text)`)
      // If another process takes a number at the same time, this leaves the name out, and the next round adds it.
      await change(
        `INSERT INTO kept_names (n, name) SELECT (SELECT coalesce(max(n), 0) FROM kept_names) + column1, column2
          FROM (VALUES ${values.join(", ")}) AS added WHERE true ON CONFLICT DO NOTHING`,
        some,
      )
    }
  }

  async function readNames(names: readonly string[]) {
    if (names.length === 0) return []
    const found = await read<{ n: number; name: string }>(
      `SELECT n::float8 AS n, name FROM kept_names WHERE name IN (${names.map((_, n) => `$${n + 1}`).join(", ")})`,
      names,
    )
    for (const { n, name } of found) numbers.set(name, n)
    return found
  }

  function numberOf(name: string | null): number | null {
    return name === null ? null : (numbers.get(name) ?? null)
  }

  function toRow(request: NewRequest, process: string): RequestRow {
    const { row, requestId, ownId, surface, api, status, fault, parameter, account, key, credits } = request
    const isList = api.includes(",")
    return {
      id: row,
      process: numberOf(ownId?.prefix ?? process) ?? 0,
      count: ownId?.count ?? null,
      request_id: ownId ? null : requestId,
      surface: numberOf(surface) ?? 0,
      api: isList ? null : numberOf(api),
      apis: isList ? `,${api},` : null,
      status,
      fault: numberOf(fault),
      parameter,
      account: numberOf(account),
      key: numberOf(key),
      credits,
      is_replay: request.isReplay ? 1 : 0,
      us: Math.round(request.ms * 1_000),
      address: request.address,
    }
  }

  /** The marks that are due with these rows. */
  function toMarks(rows: readonly RequestRow[]): readonly RequestMark[] {
    const id = rows.at(-1)?.id ?? 0
    const prefixes = new Set<number>()
    for (const { process, count } of rows) {
      if (count === null) continue
      const known = marked.getOrInsertComputed(process, () => ({ last: 0, id: Number.NEGATIVE_INFINITY }))
      known.last = Math.max(known.last, count)
      prefixes.add(process)
    }
    return [...prefixes].flatMap((process) => {
      const known = marked.get(process)
      return known && Math.abs(id - known.id) >= firstRowAt(markMs) ? [{ process, last: known.last, id }] : []
    })
  }

  /** The rows among which an own id is, if it was kept: those after the mark before its count, up to a while after the next. */
  async function rowsOfOwn(process: number, count: number): Promise<readonly [from: number, to: number]> {
    const mark = async (condition: string) => {
      const select = `SELECT id::float8 AS id FROM kept_marks WHERE process = $1::bigint AND last ${condition} LIMIT 1`
      return (await read<{ id: number }>(select, [process, count]))[0]?.id
    }
    const before = await mark("< $2::bigint ORDER BY last DESC")
    const next = await mark(">= $2::bigint ORDER BY last")
    const end = next ?? (before ?? 0) + firstRowAt(markMs)
    // After the clock was set back, the next mark has the lower number.
    return [
      before === undefined ? 0 : Math.min(before, end) - firstRowAt(longestMs),
      Math.max(before ?? 0, end) + firstRowAt(longestMs),
    ]
  }

  async function find(filter: RequestFilter, page: Page): Promise<RequestPage> {
    const after = placeOf(page, ["number", "number"])
    const { account, key, api, fault, status, requestId, fromMs, toMs } = filter
    const own = requestId === undefined ? null : splitRequestId(requestId)
    const names = [account, key, api, fault, own?.prefix].filter((name) => name !== undefined)
    const found = new Map((await readNames(names)).map(({ name, n }) => [name, n]))
    // An API that only stands in lists has no number. All other names of requests have one.
    if ([account, key, fault].some((name) => name !== undefined && !found.has(name))) return noRequests
    const values: Parameter[] = []
    const add = (value: string | number) =>
      `$${values.push(value)}::${typeof value === "number" ? "bigint" : "text"}`
    const isNamed = (column: string, name: string | undefined) =>
      name === undefined ? [] : [`${column} = ${add(found.get(name) ?? 0)}`]
    const inOrder = [
      ...parts.alive,
      ...(fromMs === undefined ? [] : [`id >= ${add(firstRowAt(fromMs))}`]),
      ...(toMs === undefined ? [] : [`id < ${add(firstRowAt(toMs))}`]),
      ...(after ? [`id <= ${add(after[0])} AND (id < ${add(after[0])} OR process < ${add(after[1])})`] : []),
      ...(parts.hasAccountIndex ? isNamed("account", account) : []),
      ...isNamed("fault", fault),
    ]
    const table = await tableOf(requestId, own && { count: own.count, process: found.get(own.prefix) }, add)
    // PostgreSQL takes a bare name for a column of the answer, and would sort all rows by its `id::float8`.
    const from = `FROM ${table} AS requests ${toWhere(inOrder)} ORDER BY requests.id DESC, requests.process DESC`
    const sent = values.length
    const ofApi = (id: string) => `(${isNamed("api", id)} OR replace(apis, ${add(`,${id},`)}, '') <> apis)`
    const checks = [
      ...(parts.hasAccountIndex ? [] : isNamed("account", account)),
      ...isNamed("key", key),
      ...(api === undefined ? [] : [ofApi(api)]),
      ...statusConditions(status, add),
    ]
    const most = page.limit + 1
    const isByIndex = fault !== undefined || (parts.hasAccountIndex && account !== undefined)
    const looked = isByIndex ? mostByIndex : parts.mostInOrder
    // Without an ORDER BY of its own, the middle SELECT ends with its last row: it gets the rows in their order.
    const places =
      checks.length === 0
        ? `SELECT id, process ${from} LIMIT ${most}`
        : `SELECT id, process FROM (SELECT id, process, account, key, api, apis, status ${from} LIMIT ${looked}) AS looked
            ${toWhere(checks)} LIMIT ${most}`
    const rows = await read<FoundRow>(
      `SELECT ${shownColumns} FROM (${places}) AS place JOIN kept_requests AS found
        ON found.id = place.id AND found.process = place.process ORDER BY found.id DESC, found.process DESC`,
      values,
    )
    const requests = rows.slice(0, page.limit).map(toRequest)
    const end = rows[page.limit - 1]
    if (rows.length > page.limit && end) return { requests, next: [end.id, end.process] }
    if (checks.length === 0) return { requests, next: null }
    const [last] = await read<{ id: number; process: number }>(
      `SELECT id::float8 AS id, process::float8 AS process ${from} LIMIT 1 OFFSET ${looked - 1}`,
      values.slice(0, sent),
    )
    return { requests, next: last ? [last.id, last.process] : null }
  }

  /** All requests, or those with an id. A client may have sent an id that looks like one of ours. */
  async function tableOf(
    requestId: string | undefined,
    own: { readonly count: number; readonly process: number | undefined } | null,
    add: (value: string | number) => string,
  ): Promise<string> {
    if (requestId === undefined) return "kept_requests"
    const sent = `SELECT * FROM kept_requests WHERE request_id = ${add(requestId)}`
    if (own?.process === undefined) return `(${sent})`
    const [from, to] = await rowsOfOwn(own.process, own.count)
    return `(${sent} UNION ALL SELECT * FROM kept_requests WHERE id BETWEEN ${add(from)} AND ${add(to)}
      AND process = ${add(own.process)} AND count = ${add(own.count)})`
  }

  return {
    async add({ process, requests }) {
      await numberNames(process, requests)
      const rows = requests.map((one) => toRow(one, process))
      const marks = toMarks(rows)
      await insert(rows, marks)
      for (const { process: prefix, last, id } of marks) marked.set(prefix, { last, id })
    },
    find,
    async deleteBefore(ms, limit) {
      const oldest = "SELECT id FROM kept_requests WHERE id < $1::bigint ORDER BY id LIMIT $2::bigint"
      const rows = await change(
        `DELETE FROM kept_requests WHERE id <= (SELECT max(id) FROM (${oldest}) AS oldest) RETURNING 1`,
        [firstRowAt(ms), limit],
      )
      if (rows.length > 0) return { rows: rows.length, next: "" }
      await change("DELETE FROM kept_marks WHERE id < $1::bigint", [firstRowAt(ms)])
      return { rows: 0, next: null }
    },
  }
}

const noRequests: RequestPage = { requests: [], next: null }

/** A found row, with texts for its names. */
type FoundRow = Omit<KeptRequest, "atMs" | "requestId" | "isReplay" | "ms"> & {
  readonly id: number
  readonly process: number
  readonly prefix: string
  readonly count: number | null
  readonly requestId: string | null
  readonly apis: string | null
  readonly isReplay: number
  readonly us: number
}

const nameOf = (column: string, shown = column) =>
  `(SELECT name FROM kept_names WHERE n = found.${column}) AS ${shown}`

const shownColumns = `found.id::float8 AS id, found.process::float8 AS process, ${nameOf("process", "prefix")}, count::float8 AS count,
  request_id AS "requestId", ${["surface", "api", "fault", "account", "key"].map((one) => nameOf(one)).join(", ")}, apis,
  status::float8 AS status, parameter, credits::float8 AS credits, is_replay::float8 AS "isReplay", us::float8 AS us, address`

function toRequest({ id, process: _, prefix, count, apis, us, ...row }: FoundRow): KeptRequest {
  return {
    ...row,
    atMs: timeOfRow(id),
    requestId: row.requestId ?? `${prefix}.${(count ?? 0).toString(36)}`,
    api: apis?.slice(1, -1) ?? row.api,
    isReplay: row.isReplay === 1,
    ms: us / 1_000,
  }
}

function statusConditions(status: string | undefined, add: (value: number) => string): readonly string[] {
  if (status === undefined) return []
  const first = Number(status.replace("xx", "00"))
  return [`status BETWEEN ${add(first)} AND ${add(status.endsWith("xx") ? first + 99 : first)}`]
}

function toWhere(conditions: readonly string[]): string {
  return conditions.length > 0 ? `WHERE ${conditions.join(" AND ")}` : ""
}
