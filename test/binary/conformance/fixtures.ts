import { ProtocolError, ProtocolErrorCode, Server, type ServerEventBus } from "@modelcontextprotocol/server"
import { inputTools } from "./input-tools.ts"
import { getPrompt, prompts } from "./prompts.ts"
import { readResource, resources, resourceTemplates } from "./resources.ts"
import { state } from "./state.ts"
import { type FixtureTool, plainTools, text } from "./tools.ts"

const cacheHint = { ttlMs: 60_000, cacheScope: "public" } as const
const cached =
  "tools/list prompts/list resources/list resources/read resources/templates/list server/discover".split(" ")

/** A server with what the scenarios of the suite ask for, by the names that they use. */
export function createFixtureServer(changes: ServerEventBus): Server {
  const tools: Readonly<Record<string, FixtureTool>> = {
    ...plainTools,
    ...inputTools,
    async test_trigger_tool_change() {
      changes.publish({ kind: "tools_list_changed" })
      return { content: [text("The list of tools has changed.")] }
    },
    async test_trigger_prompt_change() {
      changes.publish({ kind: "prompts_list_changed" })
      return { content: [text("The list of prompts has changed.")] }
    },
  }
  const server = new Server(
    { name: "conformance", version: "1" },
    {
      capabilities: {
        tools: { listChanged: true },
        prompts: { listChanged: true },
        resources: { subscribe: true, listChanged: true },
        completions: {},
        logging: {},
      },
      requestState: { verify: state.verify },
      cacheHints: Object.fromEntries(cached.map((method) => [method, cacheHint])),
    },
  )
  server.setRequestHandler("tools/list", () => ({
    tools: Object.keys(tools).map((name) => ({
      name,
      description: `The fixture ${name}.`,
      inputSchema: { type: "object" as const, properties: {} },
    })),
  }))
  server.setRequestHandler("tools/call", ({ params }, context) => {
    const tool = tools[params.name]
    if (!tool) throw new ProtocolError(ProtocolErrorCode.InvalidParams, `Unknown tool: ${params.name}`)
    return tool(context)
  })
  server.setRequestHandler("prompts/list", () => ({ prompts: [...prompts] }))
  server.setRequestHandler("prompts/get", ({ params }, context) =>
    getPrompt(params.name, params.arguments ?? {}, context),
  )
  server.setRequestHandler("resources/list", () => ({ resources: [...resources] }))
  server.setRequestHandler("resources/templates/list", () => ({ resourceTemplates: [...resourceTemplates] }))
  server.setRequestHandler("resources/read", ({ params }) => readResource(params.uri))
  server.setRequestHandler("resources/subscribe", () => ({}))
  server.setRequestHandler("resources/unsubscribe", () => ({}))
  server.setRequestHandler("completion/complete", () => ({
    completion: { values: ["paris", "park"], total: 2, hasMore: false },
  }))
  return server
}
