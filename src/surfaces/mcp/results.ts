import type { CallToolResult } from "@modelcontextprotocol/server"
import type { Reply } from "../../call/pipeline.ts"
import type { UsageStatus } from "../../call/usage-status.ts"
import { encodeJson } from "../../encode/json.ts"

/** Longer data is not repeated as text beside the structured content. */
const maxTextCharacters = 4_000

/** The reply of the pipeline as a tool's result. */
export function toToolResult({ envelope, usage, retryAfterSeconds, charged }: Reply): CallToolResult {
  const meta = usage && { _meta: { "penknife/credits": toCredits(usage, charged) } }
  if (envelope.data === null || envelope.status === "error") {
    return { ...errorResult(envelope.error ?? "", retryAfterSeconds), ...meta }
  }
  return { ...dataResult({ ...envelope.data }), ...meta }
}

/** Data as structured content, with a short text for clients that show only that. */
export function dataResult(data: Readonly<Record<string, unknown>>): CallToolResult {
  return { content: [{ type: "text", text: toText(data) }], structuredContent: data }
}

/** A refusal that a model can read and act on. */
export function errorResult(message: string, retryAfterSeconds: number | null = null): CallToolResult {
  const retry = retryAfterSeconds === null ? "" : ` Try again after ${retryAfterSeconds} s.`
  return { content: [{ type: "text", text: `${message}${retry}` }], isError: true }
}

function toText(data: Readonly<Record<string, unknown>>): string {
  // It gives no text for large data, which would take long to write.
  const json = encodeJson(data)
  if (typeof json === "string" && json.length <= maxTextCharacters) return json
  return `The answer is long: see the structured content. Its fields are ${Object.keys(data).join(", ")}.`
}

/** The balance after the call, as the headers of REST tell it. */
function toCredits({ balance, plan, rate }: UsageStatus, charged: Reply["charged"]) {
  return {
    charged: charged.reduce((sum, { credits }) => sum + credits, 0),
    used: balance.used,
    remaining: balance.remaining ?? "unlimited",
    allowance: balance.allowance ?? "unlimited",
    renews: new Date(balance.period.endMs).toISOString(),
    plan,
    ...(rate && { callsLeftThisMinute: rate.remaining }),
  }
}
