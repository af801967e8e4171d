import {
  type CallToolResult,
  type InputRequiredResult,
  inputRequired,
  MissingRequiredClientCapabilityError,
  type ServerContext,
} from "@modelcontextprotocol/server"
import { keepAliveTimer } from "../../../src/ports/timer.ts"
import { png, wav } from "./samples.ts"

/** A tool of the suite. */
export interface FixtureTool {
  /** The properties of its input schema. */
  readonly input?: Readonly<Record<string, { readonly type: string }>>
  run(
    values: Readonly<Record<string, unknown>>,
    context: ServerContext,
  ): Promise<CallToolResult | InputRequiredResult>
}

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
  test_error_handling: {
    run: async () => ({
      isError: true,
      content: [text("This tool intentionally returns an error for testing")],
    }),
  },
  test_tool_with_logging: {
    async run(_values, { mcpReq }) {
      await mcpReq.log("info", "Tool execution started")
      await keepAliveTimer.turn()
      await mcpReq.log("info", "Tool processing data")
      await keepAliveTimer.turn()
      await mcpReq.log("info", "Tool execution completed")
      return { content: [text("The tool has run.")] }
    },
  },
  test_logging_tool: {
    async run(_values, { mcpReq }) {
      await mcpReq.log("info", "Tool execution started")
      return { content: [text("The tool has run.")] }
    },
  },
  test_tool_with_progress: {
    async run(_values, { mcpReq }) {
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
  },
  test_missing_capability: {
    async run() {
      throw new MissingRequiredClientCapabilityError({ requiredCapabilities: { sampling: {} } })
    },
  },
  test_streaming_elicitation: {
    async run() {
      const answer = inputRequired.elicit({
        message: "Go on?",
        requestedSchema: { type: "object", properties: { ok: { type: "boolean" } }, required: ["ok"] },
      })
      return inputRequired({ inputRequests: { answer } })
    },
  },
}

function answering(...content: CallToolResult["content"]): FixtureTool {
  return { run: async () => ({ content }) }
}

export function text(value: string) {
  return { type: "text", text: value } as const
}
