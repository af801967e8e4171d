import { Elysia } from "elysia"
import { type Administration, requirePermission } from "../../../admin/administration.ts"
import { AdminFault } from "../../../admin/fault.ts"
import type { Actor, OpenFile, Operation } from "../../../admin/operation.ts"
import { operations } from "../../../admin/operations.ts"
import type { RawInput } from "../../../call/input.ts"
import { detailOf } from "../../openapi/admin/operation.ts"
import { type HttpContext, inProgress, keepConnectionOpen } from "../frame.ts"
import { toBody, toResponse } from "../reply/answer-body.ts"
import { pulledStream } from "../reply/pulled-stream.ts"
import type { AnswerSettings, Exchange, IncomingApp } from "../request.ts"
import { type createRefusals, setAdminHeaders } from "./admin-problem.ts"
import { createCsvWriter, inGoodPages, setCsvHeaders, wantsCsv } from "./entry-csv.ts"
import { jsonLines, streamEntries } from "./entry-lines.ts"
import { streamEvents } from "./event-stream.ts"
import { etagOf, readConditions, readOperationInput } from "./operation-input.ts"
import { type OperationRoute, toElysiaPath } from "./operation-routes.ts"

export interface OperationParts {
  readonly base: IncomingApp
  readonly administration: Administration
  readonly context: HttpContext
  readonly refuseWith: ReturnType<typeof createRefusals>
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

/** The operations as routes. Each request takes the same steps: who → permission → headers → input → run. */
export function operationRoutes(
  routes: readonly OperationRoute[],
  surface: "admin" | "portal",
  parts: OperationParts,
) {
  const { base, context, refuseWith, requireActor } = parts
  const app = new Elysia({ name: `${surface}-operations`, normalize: false })
    .use(base)
    .derive(async ({ request, set, incoming }) => ({ actor: await requireActor({ request, set, incoming }) }))
  for (const route of routes) {
    const record = context.observer.recorderFor(route.operation.id, surface)
    const refuse = refuseWith(record)
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
          refuse(error, { request, set, incoming }, actor ?? null),
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
    if (operation.run.kind === "file") {
      return sendFile(await administration.open(operation, input, actor), set, context)
    }
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
