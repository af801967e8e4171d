import { createMcpHandler, type Server, type ServerEventBus } from "@modelcontextprotocol/server"
import { byCategory, categoryOf, toCategory } from "../../apis/categories.ts"
import { rateLimited } from "../../call/admission.ts"
import type { Caller } from "../../call/caller.ts"
import { tightestOf } from "../../call/charges.ts"
import { fixedFault, inputFault } from "../../call/fault.ts"
import { explain, giveWayWhilePresent, type Pipeline } from "../../call/pipeline.ts"
import { answerCall } from "../../call/run.ts"
import type { RecordRequest, RequestEnd } from "../../observe/request-log.ts"
import type { RateState } from "../../store/store.ts"
import { isObject } from "../../values/is-object.ts"
import { nearestFirst } from "../../values/nearest.ts"
import { createCatalogEndpoint } from "../mcp/catalog-endpoint.ts"
import type { McpClient, McpEndpoint } from "../mcp/endpoint.ts"
import { refusal, toToolResult } from "../mcp/results.ts"
import { createSearchEndpoint } from "../mcp/search-endpoint.ts"
import { createMcpServer, type ServiceName } from "../mcp/server.ts"
import type { HttpContext } from "./frame.ts"
import { readAnswer, sendRefusal, sendRefusalOfValue, toLiveStream } from "./mcp-answer.ts"
import { readJson } from "./read/body.ts"
import { hasSmallBody } from "./read/intake.ts"
import { parseQuery } from "./read/query.ts"
import { toBody } from "./reply/answer-body.ts"
import type { Exchange, IncomingRequest } from "./request.ts"

/** The MCP endpoints behind HTTP. */
export type McpHttp = ReturnType<typeof createMcpHttp>

/** The parts that serve one endpoint. */
interface McpServing {
  /** Makes the server of one request. */
  readonly serverFor: (client: McpClient) => Server
  /** Tells clients that listen what has changed. Without it nothing changes, and nobody may listen. */
  readonly changes?: ServerEventBus
}

/** The state of a request while the protocol's library works on it. */
type McpRequest = ReturnType<typeof startRequest>

function startRequest(incoming: IncomingRequest, caller: Caller) {
  const end: Omit<RequestEnd, "status"> = { caller }
  return {
    incoming,
    caller,
    /** Whether it is counted against the limit of calls per minute. */
    isCounted: false,
    /** The tightest limit after that; null while it is not known. */
    rate: null as RateState | null,
    /** The call of an API that the request began; it goes on when its client hangs up. */
    running: null as Promise<unknown> | null,
    /** The category that its lists are limited to; null for all. */
    category: null as string | null,
    /** The fields of its line in the log. */
    end,
  }
}

export function createMcpHttp(
  context: HttpContext,
  record: RecordRequest,
  { catalog, search }: Readonly<Record<"catalog" | "search", McpServing>>,
) {
  const { pipeline, intake } = context
  const known = new WeakMap<Request, McpRequest>()
  const handlers = { catalog: handlerOf(catalog), search: handlerOf(search) }

  function handlerOf({ serverFor, changes }: McpServing) {
    const serve = ({ requestInfo }: { requestInfo?: Request }): Server => {
      const request = requestInfo && known.get(requestInfo)
      if (!request) throw new Error("a request reached MCP without its caller")
      return serverFor(toClient(request, pipeline))
    }
    return createMcpHandler(serve, changes ? { bus: changes } : { maxSubscriptions: 0 })
  }

  async function answer(exchange: Exchange, mode: "catalog" | "search", mcp: McpRequest) {
    const { request, set, incoming } = exchange
    const { caller } = mcp
    const giveWay = () => giveWayWhilePresent(incoming, caller.account.id, pipeline)
    let id: string | number | null = null
    try {
      mcp.category = categoryIn(request.url, context.apis)
      const message = await readJson(request, intake, giveWay)
      if (!isObject(message)) {
        record(incoming, { ...mcp.end, status: 400, fault: "inputRejected" })
        return sendRefusalOfValue(set)
      }
      if (typeof message.id === "string" || typeof message.id === "number") id = message.id
      requireSmallEnvelope(message)
      // The pipeline counts a call of an API, and a tool that is free counts itself.
      if (message.method !== "tools/call" && !mcp.isCounted) await requireRate(mcp, pipeline)
      known.set(request, mcp)
      const response = await handlers[mode].fetch(withoutSignal(request), { parsedBody: message })
      if (!mcp.isCounted) await requireRate(mcp, pipeline)
      return await send(response, exchange, mcp)
    } catch (thrown) {
      const fault = explain(thrown, incoming.requestId, pipeline)
      record(incoming, { ...mcp.end, status: fault.status, fault: fault.code, parameter: fault.parameter })
      return sendRefusal(fault, set, id)
    }
  }

  async function send(response: Response, { set, incoming }: Exchange, mcp: McpRequest): Promise<Response> {
    const { status } = response
    for (const [name, value] of response.headers) set.headers[name] = value
    set.status = status
    set.headers["cache-control"] = "no-store"
    const read = await readAnswer(response)
    const finish = async () => {
      await mcp.running
      record(incoming, { ...mcp.end, status })
    }
    if ("rest" in read) return new Response(toLiveStream(read, finish, context), { status })
    await finish()
    const body = read.text === "" ? null : await toBody(read.text, mcp.caller, context)
    return new Response(body, { status })
  }

  return {
    /** Answers one request with the method POST. Throws the Fault of a caller who is not known or not allowed. */
    async handle(exchange: Exchange, mode: "catalog" | "search"): Promise<string | Response> {
      const { incoming } = exchange
      if (incoming.hasTwoKeys) throw fixedFault("keysDiffer")
      const caller = await pipeline.admission.identify(incoming.key)
      pipeline.admission.requireAddress(caller, incoming.address)
      const mcp = startRequest(incoming, caller)
      // A large body is not read before the request is counted. A small one is, for the refusal to name its id.
      if (!hasSmallBody(exchange.request)) await requireRate(mcp, pipeline)
      return answer(exchange, mode, mcp)
    },
  }
}

/** When a client hangs up, the library would stop at once, while the call still runs and has to be recorded. */
function withoutSignal(request: Request): Request {
  // A new signal for each request, since the library leaves its listeners on it. A new Request would take the body along.
  Object.defineProperty(request, "signal", { value: new AbortController().signal })
  return request
}

/** `?category=NAME`: the category that lists are limited to. Throws the fault of a category without APIs. */
function categoryIn(url: string, apis: HttpContext["apis"]): string | null {
  const given = parseQuery(url).parameters.find(({ name }) => name === "category")
  if (!given) return null
  const names = byCategory(apis).map(({ name }) => name)
  const category = toCategory(given.text ?? "")
  if (names.includes(category)) return category
  throw inputFault("category", `must be one of ${nearestFirst(category, names).join(", ")}`)
}

/** The most characters of a message besides the arguments of its tool. The library takes 60 ms to check 18,000 members. */
const maxEnvelopeLength = 16_384

/** @throws Fault 400 for `body` */
function requireSmallEnvelope({ params, ...rest }: Readonly<Record<string, unknown>>): void {
  const { arguments: _, ...others } = isObject(params) ? params : { params }
  if (JSON.stringify([rest, others]).length <= maxEnvelopeLength) return
  const most = maxEnvelopeLength.toLocaleString("en-US")
  throw inputFault("body", `must have at most ${most} characters besides 'params.arguments'`)
}

/** Counts a request that calls no API. Throws the 429 of one too many. */
async function requireRate(request: McpRequest, { admission }: Pipeline): Promise<void> {
  request.isCounted = true
  const outcome = await admission.takeRate(request.caller)
  request.rate = outcome && tightestOf(outcome.buckets)
  if (outcome && request.rate && !outcome.granted) throw rateLimited(request.rate)
}

function toClient(request: McpRequest, pipeline: Pipeline): McpClient {
  const { caller, incoming } = request
  const { allowApis, blockApis } = caller.key
  const mayCall = (api: string) => !blockApis.includes(api) && (allowApis === null || allowApis.includes(api))
  return {
    mayCall,
    lists: ({ definition }) =>
      mayCall(definition.id) && (request.category ?? categoryOf(definition)) === categoryOf(definition),
    async countFreeCall() {
      if (request.isCounted) return null
      try {
        await requireRate(request, pipeline)
        return null
      } catch (thrown) {
        const fault = explain(thrown, incoming.requestId, pipeline)
        request.end = { caller, fault: fault.code }
        return refusal(fault)
      }
    },
    async callApi(api, values) {
      const counted = request.isCounted ? { caller, rate: request.rate } : null
      request.isCounted = true
      const call = { api, request: incoming, read: () => ({ kind: "typed", values }) as const, counted }
      const running = answerCall(call, pipeline)
      request.running = running
      const reply = await running
      const { charged, fault, parameter } = reply
      request.end = { caller, charged, fault, parameter, apis: [api.definition.id] }
      return toToolResult(reply)
    },
  }
}

/** The catalog behind the MCP endpoints, made in several turns of the event loop. */
export async function createCatalogMcp(
  context: HttpContext,
  record: RecordRequest,
  name: ServiceName,
): Promise<McpHttp> {
  const serve = (endpoint: McpEndpoint): McpServing => ({
    serverFor: (client) => createMcpServer(endpoint, client, name),
  })
  const { turn } = context.pipeline.ports.timer
  await turn()
  const catalog = serve(createCatalogEndpoint(context.apis))
  await turn()
  return createMcpHttp(context, record, { catalog, search: serve(createSearchEndpoint(context.apis)) })
}
