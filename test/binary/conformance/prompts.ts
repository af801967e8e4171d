import {
  acceptedContent,
  type GetPromptResult,
  type InputRequiredResult,
  inputRequired,
  type Prompt,
  type PromptMessage,
  ProtocolError,
  ProtocolErrorCode,
  type ServerContext,
} from "@modelcontextprotocol/server"
import { png } from "./samples.ts"

export const prompts: readonly Prompt[] = [
  { name: "test_simple_prompt", description: "A text." },
  {
    name: "test_prompt_with_arguments",
    description: "A text with two arguments.",
    arguments: [
      { name: "arg1", description: "The first.", required: true },
      { name: "arg2", description: "The second.", required: true },
    ],
  },
  {
    name: "test_prompt_with_embedded_resource",
    description: "A resource.",
    arguments: [{ name: "resourceUri", description: "Its address.", required: true }],
  },
  { name: "test_prompt_with_image", description: "An image." },
  { name: "test_input_required_result_prompt", description: "A text that asks for more." },
]

export function getPrompt(
  name: string,
  values: Readonly<Record<string, string>>,
  context: ServerContext,
): GetPromptResult | InputRequiredResult {
  switch (name) {
    case "test_simple_prompt":
      return { messages: [text("This is a simple prompt for testing.")] }
    case "test_prompt_with_arguments":
      return { messages: [text(`Prompt with arguments: arg1='${values.arg1}', arg2='${values.arg2}'`)] }
    case "test_prompt_with_embedded_resource":
      return {
        messages: [
          {
            role: "user",
            content: {
              type: "resource",
              resource: {
                uri: values.resourceUri ?? "",
                mimeType: "text/plain",
                text: "Embedded resource content for testing.",
              },
            },
          },
          text("Please process the embedded resource above."),
        ],
      }
    case "test_prompt_with_image":
      return {
        messages: [
          { role: "user", content: { type: "image", data: png, mimeType: "image/png" } },
          text("Please analyze the image above."),
        ],
      }
    case "test_input_required_result_prompt":
      return askForContext(context)
    default:
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, `Unknown prompt: ${name}`)
  }
}

function askForContext({ mcpReq }: ServerContext): GetPromptResult | InputRequiredResult {
  const given = acceptedContent(mcpReq.inputResponses, "user_context")
  if (given) return { messages: [text(`Use this context: ${String(given.context)}`)] }
  const user_context = inputRequired.elicit({
    message: "What context should the prompt use?",
    requestedSchema: { type: "object", properties: { context: { type: "string" } }, required: ["context"] },
  })
  return inputRequired({ inputRequests: { user_context } })
}

const text = (value: string): PromptMessage => ({ role: "user", content: { type: "text", text: value } })
