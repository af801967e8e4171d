import type { TSchema } from "@sinclair/typebox"
import {
  type ApiDefinition,
  choicesOf,
  deprecationOf,
  deprecationText,
  isPremium,
} from "../../apis/contract.ts"
import { toRequirement } from "../../call/requirement.ts"
import { toTable } from "./table.ts"

/** How the page of an API differs from place to place. */
export interface ApiPageOptions {
  /** Of one successful call. */
  readonly credits: number
  /** Where the service is, such as `http://localhost:8080`. */
  readonly url: string
  /** The key in the example's command. */
  readonly key: string
  /** Follows the description. */
  readonly more?: string
  /** The answer below the example's command; empty where it is filled in later. */
  readonly answer: string
}

/** The reference of an API in Markdown: price, parameters, one call with its answer, fields. It starts with a heading of level 2. */
export function toApiPage(
  api: ApiDefinition,
  { credits, url, key, more = "", answer }: ApiPageOptions,
): string {
  const [example] = api.examples
  if (!example) throw new Error(`${api.id} has no example.`)
  const price = credits === 1 ? "1 credit" : `${credits} credits`
  return `## ${api.id}

**${api.title}**: \`${api.method} /v1/${api.id}\`, ${price}. ${api.deprecation ? `**${deprecationText(api.deprecation)}** ` : ""}${api.description}${more}

${parameterTable(api)}
\`\`\`sh
${toCurl(api, example.input, url, key)}
\`\`\`
\`\`\`json
${answer}\`\`\`

${fieldTable(api)}`
}

/** The answer of an API's first example as indented JSON, in the envelope. */
export function exampleAnswer({ examples: [example] }: ApiDefinition): string {
  return `${JSON.stringify({ status: "ok", error: null, data: example?.output }, null, 2)}\n`
}

function parameterTable({ input }: ApiDefinition): string {
  const required = new Set(input.required)
  return toTable(
    ["parameter", "value", "meaning"],
    Object.entries(input.properties).map(([name, schema]) => [
      `\`${name}\`${required.has(name) ? ", required" : ""}${isPremium(schema) ? ", premium" : ""}`,
      toRequirement(schema).replace(/^must be /, "") + defaultOf(schema),
      describe(schema),
    ]),
  )
}

function describe(schema: TSchema): string {
  const mark = deprecationOf(schema)
  return `${schema.description ?? ""}${mark ? ` ${deprecationText(mark)}` : ""}`
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
      describe(schema),
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

function toCurl(
  { id, method }: ApiDefinition,
  input: Readonly<Record<string, unknown>>,
  service: string,
  key: string,
): string {
  const url = `${service}/v1/${id}`
  if (method === "POST") {
    const body = JSON.stringify(input).replaceAll("'", "'\\''")
    return `curl -H 'x-api-key: ${key}' -H 'content-type: application/json' ${url} \\\n  -d '${body}'`
  }
  const query = new URLSearchParams(
    Object.entries(input).map(([name, value]): [string, string] => [name, String(value)]),
  )
  return `curl -H 'x-api-key: ${key}' '${url}?${query}'`
}
