import { KindGuard, type TSchema } from "@sinclair/typebox"
import { Elysia } from "elysia"
import { type Administration, requirePermission } from "../../../admin/administration.ts"
import { AdminFault } from "../../../admin/fault.ts"
import { type Actor, isOperatorOnly, type OpenFile, type Operation } from "../../../admin/operation.ts"
import { operations } from "../../../admin/operations.ts"
import { itemOf, listColumns } from "../../../admin/pages.ts"
import type { RawInput } from "../../../call/input.ts"
import { toCsvRow } from "../../../encode/csv.ts"
import { toObject } from "../../../values/is-object.ts"
import { detailOf } from "../../openapi/admin/operation.ts"
import { type HttpContext, inProgress, keepConnectionOpen } from "../frame.ts"
import { toBody, toResponse } from "../reply/answer-body.ts"
import { pulledStream } from "../reply/pulled-stream.ts"
import type { AnswerSettings, Exchange, IncomingApp } from "../request.ts"
import { type createRefusals, setAdminHeaders } from "./admin-problem.ts"
import { type EntryWriter, jsonLines, streamEntries } from "./entry-lines.ts"
import { streamEvents } from "./event-stream.ts"
import { etagOf, readConditions, readOperationInput } from "./operation-input.ts"
import { type OperationRoute, toElysiaPath } from "./operation-routes.ts"

export interface OperationParts {
  readonly base: IncomingApp
  readonly administration: Administration
  readonly context: HttpContext
  readonly refusalsOf: ReturnType<typeof createRefusals>
  /** Finds who sends a request, or throws an AdminFault. */
  readonly requireActor: (exchange: Exchange) => Promise<Actor>
}

/** A request whose sender is known. */
interface OperationRequest {
  readonly exchange: Exchange
  readonly route: OperationRoute
  readonly actor: Actor
  /** The parameters in the path. */
  readonly params: Readonly<Record<string, string>>
}

/** How many routes are made in a turn of the event loop. All in one would hold others up for 15 ms. */
export const routesInTurn = 20

/** The operations as routes. Each request takes the same steps: who → permission → headers → input → run. */
export async function operationRoutes(
  routes: readonly OperationRoute[],
  surface: "admin" | "portal",
  parts: OperationParts,
) {
  const { base, context, refusalsOf, requireActor } = parts
  const app = new Elysia({ name: `${surface}-operations`, normalize: false })
    .use(base)
    .derive(async ({ request, set, incoming }) => ({ actor: await requireActor({ request, set, incoming }) }))
  for (const [index, route] of routes.entries()) {
    if (index % routesInTurn === 0) await context.pipeline.ports.timer.turn()
    const record = context.observer.recorderFor(route.operation.id, surface)
    const sendRefusal = refusalsOf(record)
    app.route(
      route.operation.method,
      toElysiaPath(route),
      async ({ request, set, incoming, actor, params }) => {
        const exchange = { request, set, incoming }
        const answer = await inProgress(context, () => run({ exchange, route, actor, params }, parts))
        record(incoming, { status: Number(set.status), actor: actor.id })
        return answer
      },
      {
        parse: "none",
        detail: detailOf(route),
        error: ({ error, request, set, incoming, actor }) =>
          sendRefusal(error, { request, set, incoming }, actor ?? null),
      },
    )
  }
  return app
}

function run(asked: OperationRequest, parts: OperationParts): Promise<string | Response> {
  const { exchange, route, actor, params } = asked
  const { request, set } = exchange
  const { administration, context } = parts
  const { operation } = route
  const work = async () => {
    requirePermission(operation, actor)
    const giveWay = () => context.pipeline.scheduler.giveWay(actor.id)
    const isChange = operation.run.kind === "change" || operation.run.kind === "bulk"
    const options = { giveWay, ...(isChange && readConditions(request.headers)) }
    const input = await readOperationInput(route, params, request, context.intake, giveWay)
    const asCsv = wantsCsv(operation, input)
    const isStream = asCsv || operation.format === "json-lines"
    if (operation.run.kind === "watch") return watch(asked, input, parts)
    await giveWay()
    if (operation.run.kind === "file")
      return sendFile(await administration.open(operation, input, actor), set, context)
    const { output, isReplay } = await administration.run(operation, input, actor, options)
    set.status = operation.status ?? 200
    if (context.closing.isBegun) set.headers.connection = "close"
    if (isStream) {
      const readPage = async (page: RawInput) =>
        (await administration.run(operation, inGoodPages(operation, page), actor)).output
      if (asCsv) setCsvHeaders(set, operation, input)
      else setAdminHeaders(set, "application/x-ndjson")
      const writer = asCsv ? createCsvWriter(operation, actor.account !== null) : jsonLines
      return new Response(streamEntries(output, input, readPage, writer, context, giveWay))
    }
    setAdminHeaders(set, "application/json")
    const { headers } = set
    const etag = etagOf(output)
    if (etag !== null) headers.etag = etag
    if (isReplay) headers["idempotent-replayed"] = "true"
    const location = locationOf(route, output)
    if (location !== null) headers.location = location
    return toResponse(await toBody(JSON.stringify(output), null, context))
  }
  return operation.isLong ? keepConnectionOpen(request, context, work) : work()
}

/** Answers with events until the client, the service or the end of the caller's permission ends it. */
function watch({ exchange, route, actor }: OperationRequest, input: RawInput, parts: OperationParts) {
  const { operation } = route
  const { incoming, set } = exchange
  const stream = streamEvents(
    (onReady) => parts.administration.watch(operation, input, actor, onReady),
    async () => !incoming.hasLeft() && (await isStillAllowed(exchange, operation, parts)),
    parts.context,
  )
  set.status = 200
  setAdminHeaders(set, "text/event-stream")
  // Proxies such as nginx would buffer events.
  set.headers["x-accel-buffering"] = "no"
  return new Response(stream)
}

async function isStillAllowed(exchange: Exchange, operation: Operation, { requireActor }: OperationParts) {
  try {
    requirePermission(operation, await requireActor(exchange))
    return true
  } catch (thrown) {
    // A store that does not answer, or a reached rate limit, takes no permission away.
    return !(thrown instanceof AdminFault && /^(?:unauthenticated|forbidden)$/.test(thrown.code))
  }
}

/** The path of what an operation has created (RFC 9110 §15.3.2); null where it cannot be read. */
function locationOf({ operation: { status, path }, root }: OperationRoute, output: unknown): string | null {
  if (status !== 201 || typeof output !== "object" || output === null || !("id" in output)) return null
  const isReadable = operations.some(
    ({ method, path: other }) => method === "GET" && other === `${path}/{id}`,
  )
  return isReadable ? `${root}${path}/${output.id}` : null
}

type StreamContext = Pick<HttpContext, "calls" | "pipeline" | "closing">

/** Answers with a file, which browsers save under its name. */
function sendFile(file: OpenFile, set: AnswerSettings, context: StreamContext): Response {
  set.status = 200
  if (context.closing.isBegun) set.headers.connection = "close"
  setAdminHeaders(set, "application/octet-stream")
  set.headers["content-disposition"] = `attachment; filename="${file.name}"`
  return new Response(streamFile(file, context))
}

/** Streams a file, a chunk at a time. */
export function streamFile(file: OpenFile, context: Omit<StreamContext, "closing">): ReadableStream {
  const { log } = context.pipeline
  const chunks = file.chunks[Symbol.asyncIterator]()
  return pulledStream(context, {
    next: async () => (await chunks.next()).value ?? null,
    finish() {
      file.close().catch((cause) => log.error("a file could not be closed", { cause: String(cause) }))
    },
    failure: "a file could not be sent to its end",
  })
}

/** Whether a list is asked for as CSV. */
function wantsCsv({ input }: Operation, raw: RawInput): boolean {
  if (!("format" in input.properties) || raw.kind !== "text") return false
  return raw.parameters.some(({ name, text }) => name === "format" && text === "csv")
}

/** The entries of a page when all are asked for. More would hold up other requests. */
const pageSize = "500"

/** The same input with pages of a good size, whatever the client asked for: small pages would repeat much work. */
function inGoodPages({ input }: Operation, raw: RawInput): RawInput {
  if (!("limit" in input.properties) || raw.kind !== "text") return raw
  const others = raw.parameters.filter(({ name }) => name !== "limit")
  return { kind: "text", parameters: [...others, { name: "limit", text: pageSize }] }
}

/**
 * A browser saves the answer as a file. Its name has the account and the month that were asked for, so that files of several
 * customers and months fit in one folder: `statement-acc_1234567890abcdef-2027-01.csv`.
 */
function setCsvHeaders(set: AnswerSettings, { command }: Operation, raw: RawInput): void {
  setAdminHeaders(set, "text/csv; charset=utf-8; header=present")
  const asked = raw.kind === "text" ? raw.parameters : []
  const named = ["id", "account", "month"].flatMap((name) => {
    const texts = asked.filter((one) => one.name === name).map(({ text }) => text)
    return texts.filter((text) => text !== null && /^[\w-]{1,100}$/.test(text)).slice(0, 1)
  })
  const name = [command.words.replaceAll(" ", "-"), ...named].join("-")
  set.headers["content-disposition"] = `attachment; filename="${name}.csv"`
}

/**
 * Writes a list as CSV, after a row with the names of the columns.
 * @param isCustomer leaves out the columns that customers do not see
 */
function createCsvWriter({ output }: Operation, isCustomer: boolean): EntryWriter {
  const item = itemOf(output)
  if (item === null) throw new Error("only a list can be written as CSV")
  let columns: readonly string[] | null = null
  return {
    page(entries) {
      const [first] = entries
      // The first entry shows which columns there are. A page may be empty although more follow.
      if (first === undefined) return ""
      const head = columns === null
      const names = columns ?? columnsOf(item, toObject(first), isCustomer)
      columns = names
      const rows = entries.map((entry) => names.map((name) => toObject(entry)[name]))
      return (head ? [names, ...rows] : rows).map(toCsvRow).join("")
    },
    end: () => (columns === null ? toCsvRow(columnsOf(item, undefined, isCustomer)) : ""),
  }
}

function columnsOf(item: TSchema, first: object | undefined, isCustomer: boolean): readonly string[] {
  const names = listColumns(item, first)
  if (!isCustomer || !KindGuard.IsObject(item)) return names
  return names.filter((name) => {
    const field = item.properties[name]
    return field === undefined || !isOperatorOnly(field)
  })
}
