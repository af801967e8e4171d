import { byCategory } from "../../src/apis/categories.ts"
import type { ApiDefinition } from "../../src/apis/contract.ts"
import { fieldsOf, toApiPage } from "../../src/surfaces/markdown/api-page.ts"
import { toTable } from "./table.ts"

/** One line for each API, with a link to its reference. */
export const apiTable = (apis: readonly ApiDefinition[]): string =>
  toTable(
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

/** One line for each category, with links to the pages of its APIs. */
export const apiIndex = (apis: readonly ApiDefinition[]): string =>
  byCategory(apis.map((definition) => ({ definition })))
    .map(({ heading, apis: members }) => {
      const links = members.map(({ definition: { id } }) => `[${id}](docs/apis/${id}.md)`)
      return `- **${heading}**: ${links.join(", ")}\n`
    })
    .join("")

/**
 * The page of an API in docs/apis: parameters and one call, whose answer is still empty. The meaning of each field stands
 * once, in docs/schema.graphql; the page that a running service shows has it too.
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
  const marked = fieldsOf(api.output).filter(({ premium }) => premium)
  const parents = new Set(marked.map(({ path }) => path))
  const premium = marked
    .filter(({ path }) => !parents.has(path.replace(/(?:\[\])?\.[^.]+$/, "")) || !path.includes("."))
    .map(({ path }) => `\`${path}\``)
  const fields = `Fields of \`data\`: \`${resultType(api)}\` in [schema.graphql](../schema.graphql).`
  const shown = page.slice(0, page.indexOf("\nFields of `data`:\n"))
  return `${shown}\n${fields}${premium.length === 0 ? "" : ` Premium: ${premium.join(", ")}.`}\n`
}

/** The name of the type in docs/schema.graphql that has the fields of an API's answer. */
export const resultType = ({ id }: ApiDefinition): string =>
  `${id.charAt(0).toUpperCase()}${id.slice(1)}Result`
