import { byCategory } from "../../src/apis/categories.ts"
import type { ApiDefinition } from "../../src/apis/contract.ts"
import { toApiPage } from "../../src/surfaces/markdown/api-page.ts"
import { toTable } from "./table.ts"

/** One line for each API, with a link to its reference. */
export function apiTable(apis: readonly ApiDefinition[]): string {
  return toTable(
    ["category", "API", "what it does", "credits"],
    byCategory(apis.map((definition) => ({ definition }))).flatMap(({ heading, apis: members }) =>
      members.map(({ definition: { id, description, credits } }, place) => [
        place === 0 ? heading : "",
        `[${id}](apis/${id}.md)`,
        description.replace(/(?<=\.) .*/s, ""),
        String(credits),
      ]),
    ),
  )
}

/** One line for each category, with links to the pages of its APIs. */
export function apiIndex(apis: readonly ApiDefinition[]): string {
  return byCategory(apis.map((definition) => ({ definition })))
    .map(({ heading, apis: members }) => {
      const links = members.map(({ definition: { id } }) => `[${id}](docs/apis/${id}.md)`)
      return `- **${heading}**: ${links.join(", ")}\n`
    })
    .join("")
}

/**
 * The page of an API in docs/apis: parameters, fields and one call, whose answer is still empty.
 * @param more the path of another page about the API, relative to docs/apis; null without one
 */
export function apiPage(api: ApiDefinition, more: string | null): string {
  const page = toApiPage(api, {
    credits: api.credits,
    url: "http://localhost:8090",
    key: "mock-pro",
    more: ` Rules and errors: [APIs](../apis.md).${more === null ? "" : ` More: [${api.id}](${more}).`}`,
    answer: "",
  })
  // docs/apis.md says once what these fields are.
  return page
    .replace(/^- `problems\[\]\.(?:severity|message|where)`.*\n/gm, "")
    .replace(/^- `problems`, .*$/m, "- `problems`, list: [what was found](../apis.md#names).")
    .replace(/^(- `[^`]+`(?:, premium)?), (?:string|object): /gm, "$1: ")
    .replace(/^(- `[^`]+`(?:, premium)?), list of objects/gm, "$1, list")
}
