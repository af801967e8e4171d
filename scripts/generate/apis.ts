import { byCategory } from "../../src/apis/categories.ts"
import type { ApiDefinition } from "../../src/apis/contract.ts"
import { fieldsOf, typeOf } from "../../src/surfaces/markdown/answer-fields.ts"
import { toApiPage } from "../../src/surfaces/markdown/api-page.ts"
import { toTable } from "../../src/surfaces/markdown/table.ts"

/** One line for each API, with a link to its reference. */
export function apiTable(apis: readonly ApiDefinition[]): string {
  return toTable(
    ["category", "API", "call", "what it does", "credits"],
    byCategory(apis.map((definition) => ({ definition }))).flatMap(({ heading, apis: members }) =>
      members.map(({ definition: { id, method, description, credits } }, place) => [
        place === 0 ? heading : "",
        `[${id}](docs/apis.md#${id})`,
        `\`${method} /v1/${id}\``,
        description.replace(/(?<=\.) .*/s, ""),
        String(credits),
      ]),
    ),
  )
}

/** The fields of each API that may be null. */
export function nullableFields(apis: readonly ApiDefinition[]): string {
  const rows = apis.map(({ id, output }) => {
    const nullable = fieldsOf(output).filter(({ schema }) => typeOf(schema).endsWith(" or null"))
    return [`[${id}](#${id})`, nullable.map(({ path }) => `\`${path}\``).join(", ")]
  })
  return toTable(
    ["API", "fields that may be null"],
    rows.filter(([, fields]) => fields !== ""),
  )
}

/** One line for each tool of MCP, with the price of a call. */
export function toolTable(apis: readonly ApiDefinition[]): string {
  return toTable(
    ["tool", "what it does", "credits"],
    apis.map(({ id, description, credits }) => [
      `[\`${id}\`](apis.md#${id})`,
      description.replace(/(?<=\.) .*/s, ""),
      String(credits),
    ]),
  )
}

/**
 * Parameters, fields and one call of each API. The answers are left empty.
 * @param pages paths of the documentation, in which an API may have a page of its own
 */
export function apiReference(apis: readonly ApiDefinition[], pages: readonly string[]): string {
  return apis
    .map((api) => {
      const hasPage = pages.includes(`docs/${api.id}.md`)
      return toApiPage(api, {
        credits: api.credits,
        url: "http://localhost:8090",
        key: "mock-pro",
        more: hasPage ? ` More: [${api.id}.md](${api.id}.md).` : "",
        answer: "",
      })
    })
    .join("\n")
}
