import {
  acceptedContent,
  CLIENT_CAPABILITIES_META_KEY,
  inputRequired,
  inputResponse,
  type ServerContext,
} from "@modelcontextprotocol/server"
import { state } from "./state.ts"
import { type FixtureTool, text } from "./tools.ts"

const askName = ask("What is your name?", "name")
const askRoots = inputRequired.listRoots()
const askOk = inputRequired.elicit({
  message: "Please confirm",
  requestedSchema: { type: "object", properties: { ok: { type: "boolean" } }, required: ["ok"] },
})

/** Tools that ask the client for input. */
export const inputTools: Readonly<Record<string, FixtureTool>> = {
  async test_input_required_result_elicitation({ mcpReq }) {
    const given = acceptedContent(mcpReq.inputResponses, "user_name")
    if (typeof given?.name === "string") return { content: [text(`Hello, ${given.name}!`)] }
    return inputRequired({ inputRequests: { user_name: askName } })
  },
  async test_input_required_result_sampling({ mcpReq }) {
    const given = inputResponse(mcpReq.inputResponses, "capital_question")
    if (given.kind === "sampling") return { content: [text(JSON.stringify(given.result.content))] }
    return inputRequired({
      inputRequests: { capital_question: sample("What is the capital of France?", 100) },
    })
  },
  async test_input_required_result_list_roots({ mcpReq }) {
    const given = inputResponse(mcpReq.inputResponses, "client_roots")
    if (given.kind === "roots") return { content: [text(JSON.stringify(given.roots))] }
    return inputRequired({ inputRequests: { client_roots: askRoots } })
  },
  test_input_required_result_request_state: confirmWithState,
  test_input_required_result_tampered_state: confirmWithState,
  async test_input_required_result_multiple_inputs(context) {
    const { inputResponses } = context.mcpReq
    const isWhole =
      acceptedContent(inputResponses, "user_name") !== undefined &&
      inputResponse(inputResponses, "greeting").kind === "sampling" &&
      inputResponse(inputResponses, "client_roots").kind === "roots"
    if (isWhole) return { content: [text("All input is there.")] }
    const greeting = sample("Generate a greeting", 50)
    return inputRequired({
      inputRequests: { user_name: askName, greeting, client_roots: askRoots },
      requestState: await state.mint("asked"),
    })
  },
  async test_input_required_result_multi_round({ mcpReq }) {
    const round = mcpReq.requestState<string>()
    if (round === "two" && acceptedContent(mcpReq.inputResponses, "step2"))
      return { content: [text("Both steps are done.")] }
    if (round === "one" && acceptedContent(mcpReq.inputResponses, "step1")) {
      const step2 = ask("Step 2: What is your favorite color?", "color")
      return inputRequired({ inputRequests: { step2 }, requestState: await state.mint("two") })
    }
    const step1 = ask("Step 1: What is your name?", "name")
    return inputRequired({ inputRequests: { step1 }, requestState: await state.mint("one") })
  },
  async test_input_required_result_capabilities({ mcpReq }) {
    if (mcpReq.inputResponses) return { content: [text("Input is there.")] }
    const declared: unknown = Reflect.get(mcpReq.envelope ?? {}, CLIENT_CAPABILITIES_META_KEY)
    const isDeclared = (name: string) => typeof declared === "object" && declared !== null && name in declared
    return inputRequired({
      inputRequests: {
        ...(isDeclared("elicitation") && { user_name: askName }),
        ...(isDeclared("sampling") && { greeting: sample("Generate a greeting", 50) }),
      },
    })
  },
}

async function confirmWithState({ mcpReq }: ServerContext) {
  const isAsked = mcpReq.requestState<string>() === "asked"
  if (isAsked && acceptedContent(mcpReq.inputResponses, "confirm")) return { content: [text("state-ok")] }
  return inputRequired({ inputRequests: { confirm: askOk }, requestState: await state.mint("asked") })
}

function ask(message: string, field: string) {
  const requestedSchema = {
    type: "object" as const,
    properties: { [field]: { type: "string" as const } },
    required: [field],
  }
  return inputRequired.elicit({ message, requestedSchema })
}

const sample = (question: string, maxTokens: number) =>
  inputRequired.createMessage({
    messages: [{ role: "user", content: { type: "text", text: question } }],
    maxTokens,
  })
