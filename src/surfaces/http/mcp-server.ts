import { createMcpHandler, type Server } from "@modelcontextprotocol/server"
import type { Caller } from "../../call/caller.ts"
import { fixedFault } from "../../call/fault.ts"
import { rateLimited } from "../../call/gate.ts"
import type { Pipeline, Reply } from "../../call/pipeline.ts"
import { answerCall } from "../../call/single.ts"
import { tightestOf } from "../../call/usage-status.ts"
import type { RecordRequest, RequestEnd } from "../../observe/request.ts"
import { createCatalogDoor } from "../mcp/catalog-door.ts"
import type { McpClient, McpDoor } from "../mcp/door.ts"
import { toToolResult } from "../mcp/results.ts"
import { createSearchDoor } from "../mcp/search-door.ts"
import { createMcpServer } from "../mcp/server.ts"
import { toBody } from "./answer-body.ts"
import { readText } from "./body.ts"
import type { HttpContext } from "./context.ts"
import type { Exchange, IncomingRequest } from "./exchange.ts"
import { placeOfMistake } from "./json-mistake.ts"

/** The MCP endpoints behind HTTP. */
export interface McpHttp {
  /** Answers one request. Throws the Fault of one that is refused before its message is read. */
  handle(exchange: Exchange, door: "catalog" | "search"): Promise<Response>
}

/** What is known of a request while the protocol's library works on it. */
interface McpRequest {
  readonly incoming: IncomingRequest
  readonly caller: Caller
  /** What the log keeps of it. */
  end: Omit<RequestEnd, "status">
}

export function createMcpHttp(context: HttpContext, record: RecordRequest, version: string): McpHttp {
  const { apis, pipeline, intake } = context
  const known = new WeakMap<Request, McpRequest>()
  const doors = { catalog: createCatalogDoor(apis), search: createSearchDoor(apis) }
  const handlers = { catalog: handlerOf(doors.catalog), search: handlerOf(doors.search) }

  function handlerOf(door: McpDoor) {
    const serve = ({ requestInfo }: { requestInfo?: Request }): Server => {
      const request = requestInfo && known.get(requestInfo)
      if (!request) throw new Error("a request reached MCP without its caller")
      return createMcpServer(door, toClient(request, pipeline), version)
    }
    // Nothing here changes while a client is connected, so there is nothing to subscribe to.
    return createMcpHandler(serve, { maxSubscriptions: 0 })
  }

  /** JSON-RPC 2.0 §5.1: a parse error. */
  function notJson(text: string, incoming: IncomingRequest, caller: Caller): Response {
    record(incoming, { status: 400, caller, fault: "inputRejected" })
    const message = `The request body must be valid JSON${placeOfMistake(text)}.`
    return Response.json({ jsonrpc: "2.0", id: null, error: { code: -32_700, message } }, { status: 400 })
  }

  return {
    async handle({ request, set, incoming }, door) {
      if (incoming.hasTwoKeys) throw fixedFault("keysDiffer")
      const caller = await pipeline.gate.identify(incoming.key)
      pipeline.gate.requireAddress(caller, incoming.address)
      const mcp: McpRequest = { incoming, caller, end: { caller } }
      known.set(request, mcp)
      const text = request.method === "POST" ? await readText(request, intake) : null
      const message = text === null ? undefined : parse(text)
      if (text !== null && message === undefined) return notJson(text, incoming, caller)
      if (!isToolCall(message)) await takeRate(caller, pipeline)
      const response = await handlers[door].fetch(
        request,
        message === undefined ? {} : { parsedBody: message },
      )
      for (const [name, value] of response.headers) set.headers[name] = value
      // Clients of earlier revisions get an event stream, which begins before the tool has run.
      const answer = await response.text()
      record(incoming, { ...mcp.end, status: response.status })
      set.status = response.status
      set.headers["cache-control"] = "no-store"
      const body = answer === "" ? null : await toBody(answer, caller, context)
      return new Response(body, { status: response.status })
    },
  }
}

/** The value of a JSON text; undefined for any other text. */
function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // The caller answers with what is wrong.
    return undefined
  }
}

function isToolCall(message: unknown): boolean {
  return typeof message === "object" && message !== null && Reflect.get(message, "method") === "tools/call"
}

/** Counts a request that calls no API. A tool call is counted by the pipeline. */
async function takeRate(caller: Caller, { gate }: Pipeline): Promise<void> {
  const outcome = await gate.takeRate(caller)
  const rate = outcome && tightestOf(outcome.buckets)
  if (outcome && rate && !outcome.granted) throw rateLimited(rate)
}

function toClient(request: McpRequest, pipeline: Pipeline): McpClient {
  const { caller, incoming } = request
  const { allowApis, blockApis } = caller.key
  return {
    mayCall: (api) => !blockApis.includes(api) && (allowApis === null || allowApis.includes(api)),
    async callApi(api, values) {
      const call = { api, request: incoming, read: () => ({ kind: "typed", values }) as const }
      const reply: Reply = await answerCall(call, pipeline)
      const { charged, fault } = reply
      request.end = { caller, charged, fault, apis: [api.definition.id] }
      return toToolResult(reply)
    },
  }
}
