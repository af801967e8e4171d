import type { Tool } from "@modelcontextprotocol/server"
import { deprecationText } from "../../apis/contract.ts"
import type { PreparedApi } from "../../call/prepared-api.ts"
import { priceText } from "../openapi/api-parts.ts"
import { toJsonSchema } from "../openapi/json-schema.ts"

/** An API as a tool of the Model Context Protocol. */
export function toTool({ definition, credits }: PreparedApi): Tool {
  const { id, title, description, input, output, asksDns = false, deprecation } = definition
  return {
    name: id,
    title,
    description: `${deprecation ? `${deprecationText(deprecation)} ` : ""}${description} Costs ${priceText(credits)}; a refused call is free.`,
    inputSchema: { ...toJsonSchema(input), type: "object" },
    outputSchema: { ...toJsonSchema(output), type: "object" },
    annotations: {
      title,
      readOnlyHint: true,
      destructiveHint: false,
      idempotentHint: true,
      openWorldHint: asksDns,
    },
  }
}
