import {
  acceptedContent,
  CLIENT_CAPABILITIES_META_KEY,
  type InputRequiredResult,
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
  test_input_required_result_elicitation: {
    async run(_values, { mcpReq }) {
      const given = acceptedContent(mcpReq.inputResponses, "user_name")
      if (typeof given?.name === "string") return { content: [text(`Hello, ${given.name}!`)] }
      return inputRequired({ inputRequests: { user_name: askName } })
    },
  },
  test_input_required_result_sampling: {
    async run(_values, { mcpReq }) {
      const given = inputResponse(mcpReq.inputResponses, "capital_question")
      if (given.kind === "sampling") return { content: [text(JSON.stringify(given.result.content))] }
      return inputRequired({
        inputRequests: { capital_question: sample("What is the capital of France?", 100) },
      })
    },
  },
  test_input_required_result_list_roots: {
    async run(_values, { mcpReq }) {
      const given = inputResponse(mcpReq.inputResponses, "client_roots")
      if (given.kind === "roots") return { content: [text(JSON.stringify(given.roots))] }
      return inputRequired({ inputRequests: { client_roots: askRoots } })
    },
  },
  test_input_required_result_request_state: { run: confirmWithState },
  test_input_required_result_tampered_state: { run: confirmWithState },
  test_input_required_result_multiple_inputs: {
    async run(_values, context) {
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
  },
  test_input_required_result_multi_round: {
    async run(_values, { mcpReq }) {
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
  },
  test_input_required_result_capabilities: {
    async run(_values, { mcpReq }) {
      if (mcpReq.inputResponses) return { content: [text("Input is there.")] }
      const declared: unknown = Reflect.get(mcpReq.envelope ?? {}, CLIENT_CAPABILITIES_META_KEY)
      const isDeclared = (name: string) =>
        typeof declared === "object" && declared !== null && name in declared
      return inputRequired({
        inputRequests: {
          ...(isDeclared("elicitation") && { user_name: askName }),
          ...(isDeclared("sampling") && { greeting: sample("Generate a greeting", 50) }),
        },
      })
    },
  },
}

async function confirmWithState(_values: object, { mcpReq }: ServerContext) {
  const isAsked = mcpReq.requestState<string>() === "asked"
  if (isAsked && acceptedContent(mcpReq.inputResponses, "confirm")) return { content: [text("state-ok")] }
  const asked: InputRequiredResult = inputRequired({
    inputRequests: { confirm: askOk },
    requestState: await state.mint("asked"),
  })
  return asked
}

function ask(message: string, field: string) {
  const requestedSchema = {
    type: "object" as const,
    properties: { [field]: { type: "string" as const } },
    required: [field],
  }
  return inputRequired.elicit({ message, requestedSchema })
}

function sample(question: string, maxTokens: number) {
  return inputRequired.createMessage({
    messages: [{ role: "user", content: { type: "text", text: question } }],
    maxTokens,
  })
}
