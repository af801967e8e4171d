import { type Administration, requirePermission } from "../../../admin/administration.ts"
import { AdminFault } from "../../../admin/fault.ts"
import type { Actor, Operation } from "../../../admin/operation.ts"
import { operations } from "../../../admin/operations.ts"
import type { RawInput } from "../../../call/input.ts"
import type { RecordRequest } from "../../../observe/request.ts"
import { type HttpContext, inProgress, patiently } from "../context.ts"
import type { Exchange } from "../exchange.ts"
import { answerOrProblem } from "./answer-or-problem.ts"
import { etagOf, readConditions } from "./conditions.ts"
import { createCsvWriter, inGoodPages, setCsvHeaders, wantsCsv } from "./entry-csv.ts"
import { jsonLines, streamEntries } from "./entry-lines.ts"
import { streamEvents } from "./event-stream.ts"
import { readOperationInput } from "./operation-input.ts"
import type { OperationRoute } from "./operation-path.ts"
import { setAdminHeaders } from "./problem.ts"

export interface AnswerParts {
  readonly administration: Administration
  readonly context: HttpContext
  /** Finds who sends a request, or throws an AdminFault. */
  readonly requireActor: (exchange: Exchange) => Promise<Actor>
}

/** Answers a request to one operation: who → permission → headers and input → run. */
export function answerOperation(
  exchange: Exchange,
  route: OperationRoute,
  record: RecordRequest,
  parts: AnswerParts,
): Promise<string | Response> {
  return answerOrProblem(exchange, record, parts.context, async (note) => {
    const actor = await parts.requireActor(exchange)
    note(actor)
    return run(exchange, route, actor, parts)
  })
}

function run(
  exchange: Exchange,
  route: OperationRoute,
  actor: Actor,
  parts: AnswerParts,
): Promise<string | Response> {
  const { request, set } = exchange
  const { administration, context } = parts
  const { operation } = route
  const work = async () => {
    requirePermission(operation, actor)
    const giveWay = () => context.pipeline.scheduler.giveWay(actor.id)
    const conditions = operation.run.kind === "change" ? readConditions(request.headers) : {}
    const input = await readOperationInput(route, request, context.intake, giveWay)
    const asCsv = wantsCsv(operation, input)
    const isStream = asCsv || operation.format === "json-lines"
    if (operation.run.kind === "watch") return watch(exchange, operation, input, actor, parts)
    const { output, isReplay } = await administration.run(operation, input, actor, conditions)
    set.status = operation.status ?? 200
    if (context.closing.isBegun) set.headers.connection = "close"
    if (isStream) {
      const readPage = async (page: RawInput) =>
        (await administration.run(operation, inGoodPages(operation, page), actor)).output
      if (asCsv) setCsvHeaders(set, operation)
      else setAdminHeaders(set, "application/x-ndjson")
      const writer = asCsv ? createCsvWriter(operation) : jsonLines
      return new Response(streamEntries(output, input, readPage, writer, context, giveWay))
    }
    setAdminHeaders(set, "application/json")
    const { headers } = set
    const etag = etagOf(output)
    if (etag !== null) headers.etag = etag
    if (isReplay) headers["idempotent-replayed"] = "true"
    const location = locationOf(route, output)
    if (location !== null) headers.location = location
    return JSON.stringify(output)
  }
  return inProgress(context, () => (operation.isLong ? patiently(request, context, work) : work()))
}

/** Answers with events until the client, the service or the end of the caller's permission ends it. */
function watch(
  exchange: Exchange,
  operation: Operation,
  input: RawInput,
  actor: Actor,
  parts: AnswerParts,
): Response {
  const { incoming, set } = exchange
  const stream = streamEvents(
    (onReady) => parts.administration.watch(operation, input, actor, onReady),
    async () => !incoming.hasLeft() && (await isStillAllowed(exchange, operation, parts)),
    parts.context,
  )
  set.status = 200
  setAdminHeaders(set, "text/event-stream")
  // Proxies such as nginx would gather events before they pass them on.
  set.headers["x-accel-buffering"] = "no"
  return new Response(stream)
}

async function isStillAllowed(
  exchange: Exchange,
  operation: Operation,
  { requireActor }: AnswerParts,
): Promise<boolean> {
  try {
    requirePermission(operation, await requireActor(exchange))
    return true
  } catch (thrown) {
    // A store that does not answer takes nobody's permission away, and neither do other requests with the same key.
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
