import type { TSchema } from "@sinclair/typebox"
import { type ApiDefinition, choicesOf, isPremium } from "../../src/apis/contract.ts"
import { toRequirement } from "../../src/call/requirement.ts"
import { toTable } from "./table.ts"

/** One line for each API, with a link to its reference. */
export function apiTable(apis: readonly ApiDefinition[]): string {
  return toTable(
    ["API", "call", "what it does", "credits"],
    apis.map(({ id, method, description, credits }) => [
      `[${id}](docs/apis.md#${id})`,
      `\`${method} /v1/${id}\``,
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
  return apis.map((api) => renderApi(api, pages.includes(`docs/${api.id}.md`))).join("\n")
}

function renderApi(api: ApiDefinition, hasPage: boolean): string {
  const [example] = api.examples
  if (!example) throw new Error(`${api.id} has no example.`)
  const price = api.credits === 1 ? "1 credit" : `${api.credits} credits`
  return `## ${api.id}

**${api.title}**: \`${api.method} /v1/${api.id}\`, ${price}. ${api.description}${hasPage ? ` More: [${api.id}.md](${api.id}.md).` : ""}

${parameterTable(api)}
\`\`\`sh
${toCurl(api, example.input)}
\`\`\`
\`\`\`json
\`\`\`

${fieldTable(api)}`
}

function parameterTable({ input }: ApiDefinition): string {
  const required = new Set(input.required)
  return toTable(
    ["parameter", "value", "meaning"],
    Object.entries(input.properties).map(([name, schema]) => [
      `\`${name}\`${required.has(name) ? ", required" : ""}${isPremium(schema) ? ", premium" : ""}`,
      toRequirement(schema).replace(/^must be /, "") + defaultOf(schema),
      schema.description ?? "",
    ]),
  )
}

function defaultOf({ default: value }: TSchema): string {
  return value === undefined ? "" : `; ${value} unless it is given`
}

function fieldTable({ output }: ApiDefinition): string {
  return toTable(
    ["field of `data`", "value", "meaning"],
    fieldsOf(output).map(({ path, schema, premium }) => [
      `\`${path}\`${premium ? ", premium" : ""}`,
      typeOf(schema),
      schema.description ?? "",
    ]),
  )
}

interface Field {
  /** `a.b` is a field of an object, `a[].b` a field of each object in a list. */
  readonly path: string
  readonly schema: TSchema
  /** Whether the field or one that it is in is premium. */
  readonly premium: boolean
}

/** Every field of a schema, at any depth. */
function fieldsOf(schema: TSchema, parent = { path: "", premium: false }): Field[] {
  if (schema.type === "array") return fieldsOf(schema.items, { ...parent, path: `${parent.path}[]` })
  const children = Object.entries((schema.properties ?? {}) as Record<string, TSchema>)
  return children.flatMap(([name, child]) => {
    const path = parent.path === "" ? name : `${parent.path}.${name}`
    const field = { path, schema: child, premium: parent.premium || isPremium(child) }
    return [field, ...fieldsOf(child, field)]
  })
}

function typeOf(schema: TSchema): string {
  const choices = choicesOf(schema)
  if (choices) return choices.map((choice) => `\`${choice}\``).join(", ")
  if (Array.isArray(schema.anyOf)) return schema.anyOf.map(typeOf).join(" or ")
  if (schema.type === "array") return `list of ${typeOf(schema.items)}s`
  if (schema.type === "boolean") return "true or false"
  return schema.type === "integer" ? "whole number" : String(schema.type)
}

function toCurl({ id, method }: ApiDefinition, input: Readonly<Record<string, unknown>>): string {
  const url = `http://localhost:8090/v1/${id}`
  if (method === "POST") {
    const body = JSON.stringify(input).replaceAll("'", "'\\''")
    return `curl -H 'x-api-key: mock-pro' -H 'content-type: application/json' ${url} \\\n  -d '${body}'`
  }
  const query = new URLSearchParams(
    Object.entries(input).map(([name, value]): [string, string] => [name, String(value)]),
  )
  return `curl -H 'x-api-key: mock-pro' '${url}?${query}'`
}
