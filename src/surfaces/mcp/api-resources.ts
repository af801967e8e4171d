import type { PreparedApi } from "../../call/prepared-api.ts"
import { exampleAnswer, toApiPage } from "../markdown/api-page.ts"
import type { McpEndpoint } from "./endpoint.ts"

const prefix = "penknife://apis/"

/** The address and key in the examples: those of a local test double. */
const exampleService = { url: "http://localhost:8090", key: "mock-pro" }

/** The documentation of each API, with its examples, as resources in Markdown. */
export function apiResources(apis: readonly PreparedApi[]): Pick<McpEndpoint, "resources" | "read"> {
  return {
    resources: ({ mayCall }) =>
      apis
        .filter(({ definition }) => mayCall(definition.id))
        .map(({ definition: { id, title, description } }) => ({
          uri: `${prefix}${id}`,
          name: id,
          title,
          description,
          mimeType: "text/markdown",
        })),
    read(uri, { mayCall }) {
      const api = apis.find(({ definition }) => uri === `${prefix}${definition.id}`)
      if (!api || !mayCall(api.definition.id)) return undefined
      return { contents: [{ uri, mimeType: "text/markdown", text: toPage(api) }] }
    },
  }
}

function toPage({ definition, credits }: PreparedApi): string {
  return toApiPage(definition, { ...exampleService, credits, answer: exampleAnswer(definition) })
}
