import type { CallToolResult, ReadResourceResult, Resource, Tool } from "@modelcontextprotocol/server"
import type { PreparedApi } from "../../call/prepared-api.ts"

/** The tools and resources of one MCP endpoint. */
export interface McpEndpoint {
  /** Told to the model when it connects. */
  readonly instructions: string
  tools(client: McpClient): readonly Tool[]
  /** Runs a tool. Undefined when there is no tool with this name. */
  call(name: string, input: ToolInput, client: McpClient): Promise<CallToolResult> | undefined
  resources(client: McpClient): readonly Resource[]
  /** Reads a resource. Undefined when this URI has no resource. */
  read(uri: string, client: McpClient): ReadResourceResult | undefined
}

/** The arguments of a tool's call. */
export type ToolInput = Readonly<Record<string, unknown>>

/** The user of an endpoint: over HTTP the caller with a key; on stdin, whoever started the program. */
export interface McpClient {
  mayCall(api: string): boolean
  /** Whether an API is in lists: it may be called, and is of the category that the client asked for, if it did. */
  readonly lists: (api: PreparedApi) => boolean
  /** Counts a call of a tool that runs no API. Returns the refusal of one too many, and otherwise null. */
  countFreeCall(): Promise<CallToolResult | null>
  /** Runs an API, and charges it where calls are metered. */
  callApi(api: PreparedApi, input: ToolInput): Promise<CallToolResult>
}
