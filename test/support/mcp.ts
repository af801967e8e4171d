import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client"

/** A client as agents use it, connected to a service. `await using` closes it. */
interface McpClient extends AsyncDisposable {
  readonly client: Client
  /** Calls a tool, and returns its answer. */
  call(name: string, input: Readonly<Record<string, unknown>>): Promise<ToolAnswer>
  /** Sends this key from now on. A new connection would take longer, since each client compiles the schemas of all tools. */
  useKey(key: string): void
}

/** The answer of a tool. */
interface ToolAnswer {
  readonly isError: boolean
  /** All text of the content. */
  readonly text: string
  readonly data: Readonly<Record<string, unknown>> | undefined
  readonly meta: Readonly<Record<string, unknown>> | undefined
}

/** Connects to the endpoint at `path`. Rejects when the service refuses. */
export async function connectMcp(
  url: string,
  key: string | null,
  path = "/mcp",
  headers: Readonly<Record<string, string>> = {},
): Promise<McpClient> {
  const sent = new Headers(headers)
  const useKey = (key: string) => sent.set("x-api-key", key)
  if (key !== null) useKey(key)
  const transport = new StreamableHTTPClientTransport(new URL(path, url), { requestInit: { headers: sent } })
  const client = new Client({ name: "test", version: "1" })
  await client.connect(transport)
  return { client, call: callWith(client), useKey, [Symbol.asyncDispose]: () => client.close() }
}

/** Calls tools with a connected client. */
export function callWith(client: Client): McpClient["call"] {
  return async (name, input) => {
    const { content, structuredContent, isError, _meta } = await client.callTool({
      name,
      arguments: { ...input },
    })
    const text = content.map((part) => (part.type === "text" ? part.text : "")).join("")
    return { isError: isError === true, text, data: structuredContent as ToolAnswer["data"], meta: _meta }
  }
}

/** Sends one message of revision 2026-07-28 as it is, to see the answer of HTTP. */
export const postMcp = (url: string, { body, key, headers = {}, path = "/mcp", signal }: RawMessage) =>
  fetch(new URL(path, url), {
    method: "POST",
    headers: {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      ...(key !== undefined && { "x-api-key": key }),
      ...headers,
    },
    body: typeof body === "string" ? body : JSON.stringify(body),
    ...(signal && { signal }),
  })

export interface RawMessage {
  readonly body: unknown
  readonly key?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly path?: string
  readonly signal?: AbortSignal
}

/** A request of revision 2026-07-28, with the headers that repeat a part of it. */
export function modernRequest(method: string, params: Record<string, unknown> = {}, id: unknown = 1) {
  const _meta = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": { name: "test", version: "1" },
    "io.modelcontextprotocol/clientCapabilities": {},
  }
  return {
    body: { jsonrpc: "2.0", id, method, params: { ...params, _meta } },
    headers: {
      "mcp-protocol-version": "2026-07-28",
      "mcp-method": method,
      ...(typeof params.name === "string" && { "mcp-name": params.name }),
    },
  }
}

/** A request of revision 2025-11-25, which names its revision in a header alone. */
export const earlierRequest = (method: string, params: Readonly<Record<string, unknown>> = {}) => ({
  body: { jsonrpc: "2.0", id: 1, method, params },
  headers: { "mcp-protocol-version": "2025-11-25" },
})
