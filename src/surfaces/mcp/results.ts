import type { CallToolResult } from "@modelcontextprotocol/server"
import type { UsageStatus } from "../../call/charges.ts"
import type { Fault } from "../../call/fault.ts"
import type { Reply } from "../../call/pipeline.ts"
import type { PreparedApi } from "../../call/prepared-api.ts"
import { encodeJson } from "../../encode/json.ts"
import { isObject } from "../../values/is-object.ts"
import { pictureBase64, picturesOf } from "../../values/picture.ts"
import { toIso } from "../../values/time-text.ts"

/** Longer data is only in the structured content, not repeated as text. */
const maxTextCharacters = 4_000

/** The reply of the pipeline as a tool's result. */
export function toToolResult(reply: Reply): CallToolResult {
  const { envelope, usage, retryAfterSeconds, fault } = reply
  const meta = usage && { _meta: { "penknife/credits": toCredits(usage, reply) } }
  if (envelope.data === null || envelope.status === "error")
    return { ...refusal({ message: envelope.error ?? "", retryAfterSeconds, code: fault }), ...meta }
  return { ...dataResult({ ...envelope.data }), ...meta }
}

/** Data as structured content, with a short text for clients that show only that. */
export function dataResult(data: Readonly<Record<string, unknown>>): CallToolResult {
  return { content: [{ type: "text", text: toText(data) }], structuredContent: data }
}

/** A result of an API with its pictures as images, which a client can show. */
export function withPictures(result: CallToolResult, { definition }: PreparedApi): CallToolResult {
  const data = isObject(result.structuredContent) ? result.structuredContent : {}
  const pictures = result.isError ? [] : picturesOf(definition.output)
  const images = pictures.flatMap((picture) => {
    const bytes = pictureBase64(data, picture)
    return bytes === null ? [] : [{ type: "image" as const, data: bytes, mimeType: picture.type }]
  })
  return images.length === 0 ? result : { ...result, content: [...result.content, ...images] }
}

/** A refusal that a model can read and act on. */
export function errorResult(text: string): CallToolResult {
  return { content: [{ type: "text", text }], isError: true }
}

/** Faults whose message says when to try again, or what to do before. */
const tellWhen: ReadonlySet<string | null> = new Set(["rateLimited", "creditsUsedUp", "chargeUnknown"])

/** A fault as a refusal that also tells when the same call may succeed, where that is known. */
export function refusal({
  message,
  retryAfterSeconds,
  code,
}: Pick<Fault, "message" | "retryAfterSeconds"> & { readonly code: string | null }): CallToolResult {
  const time = `${retryAfterSeconds} s.`
  const isTold = retryAfterSeconds === null || tellWhen.has(code) || message.endsWith(time)
  return errorResult(isTold ? message : `${message} Try again after ${time}`)
}

function toText(data: Readonly<Record<string, unknown>>): string {
  // Large data is not written as text, which would take long.
  const json = encodeJson(data)
  if (typeof json === "string" && json.length <= maxTextCharacters) return json
  return `The answer is long: see the structured content. Its fields are ${Object.keys(data).join(", ")}.`
}

/** The balance after the call, as in the headers of REST. */
function toCredits({ balance, plan, rate }: UsageStatus, { charged, fault }: Reply) {
  return {
    charged: fault === "chargeUnknown" ? "unknown" : charged.reduce((sum, { credits }) => sum + credits, 0),
    used: balance.used,
    remaining: balance.remaining ?? "unlimited",
    allowance: balance.allowance ?? "unlimited",
    renews: toIso(balance.period.endMs),
    plan,
    ...(rate && { callsLeftThisMinute: rate.remaining }),
  }
}
