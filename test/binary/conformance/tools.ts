import {
  type CallToolResult,
  type InputRequiredResult,
  inputRequired,
  MissingRequiredClientCapabilityError,
  type ServerContext,
} from "@modelcontextprotocol/server"
import { keepAliveTimer } from "../../../src/ports/timer.ts"
import { png, wav } from "./samples.ts"

/** A tool of the suite. What it is called with is not looked at. */
export type FixtureTool = (context: ServerContext) => Promise<CallToolResult | InputRequiredResult>

const image = { type: "image", data: png, mimeType: "image/png" } as const

/** Tools that need nothing from the client. */
export const plainTools: Readonly<Record<string, FixtureTool>> = {
  test_simple_text: answering(text("This is a simple text response for testing.")),
  test_image_content: answering(image),
  test_audio_content: answering({ type: "audio", data: wav, mimeType: "audio/wav" }),
  test_embedded_resource: answering({
    type: "resource",
    resource: {
      uri: "test://embedded-resource",
      mimeType: "text/plain",
      text: "This is an embedded resource content.",
    },
  }),
  test_multiple_content_types: answering(text("Multiple content types test:"), image, {
    type: "resource",
    resource: {
      uri: "test://mixed-content-resource",
      mimeType: "application/json",
      text: JSON.stringify({ test: "data", value: 123 }),
    },
  }),
  test_error_handling: async () => ({
    isError: true,
    content: [text("This tool intentionally returns an error for testing")],
  }),
  async test_tool_with_logging({ mcpReq }) {
    await mcpReq.log("info", "Tool execution started")
    await keepAliveTimer.turn()
    await mcpReq.log("info", "Tool processing data")
    await keepAliveTimer.turn()
    await mcpReq.log("info", "Tool execution completed")
    return { content: [text("The tool has run.")] }
  },
  async test_logging_tool({ mcpReq }) {
    await mcpReq.log("info", "Tool execution started")
    return { content: [text("The tool has run.")] }
  },
  async test_tool_with_progress({ mcpReq }) {
    const progressToken = mcpReq._meta?.progressToken
    for (const progress of [0, 50, 100]) {
      if (progress > 0) await keepAliveTimer.turn()
      if (progressToken === undefined) continue
      await mcpReq.notify({
        method: "notifications/progress",
        params: { progressToken, progress, total: 100 },
      })
    }
    return { content: [text("The tool has run.")] }
  },
  async test_missing_capability() {
    throw new MissingRequiredClientCapabilityError({ requiredCapabilities: { sampling: {} } })
  },
  async test_streaming_elicitation() {
    const answer = inputRequired.elicit({
      message: "Go on?",
      requestedSchema: { type: "object", properties: { ok: { type: "boolean" } }, required: ["ok"] },
    })
    return inputRequired({ inputRequests: { answer } })
  },
}

function answering(...content: CallToolResult["content"]): FixtureTool {
  return async () => ({ content })
}

export function text(value: string) {
  return { type: "text", text: value } as const
}
