import type { TSchema } from "@sinclair/typebox"
import {
  type ApiDefinition,
  choicesOf,
  deprecationOf,
  deprecationText,
  isPremium,
  isSecret,
} from "../../apis/contract.ts"
import { toRequirement } from "../../call/requirement.ts"
import { toCurl } from "../../code-examples/code-call.ts"
import { isJsonValue } from "../../values/json-value.ts"

/** How the page of an API differs from place to place. */
interface ApiPageOptions {
  /** The price of a successful call. */
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

/** The page of an API in Markdown: price, parameters, a call with its answer, fields. It starts with a heading of level 1. */
export function toApiPage(api: ApiDefinition, { credits, url, key, more = "", answer }: ApiPageOptions) {
  const [example] = api.examples
  if (!example) throw new Error(`${api.id} has no example.`)
  const price = credits === 1 ? "1 credit" : `${credits} credits`
  return `# ${api.id}

**${api.title}**: \`${api.method} /v1/${api.id}\`, ${price}. ${api.deprecation ? `**${deprecationText(api.deprecation)}** ` : ""}${api.description}${more}

Parameters:

${parameterList(api)}
${example.note === undefined ? "" : `${example.note}\n\n`}\`\`\`sh
${toCurl({ method: api.method, url: `${url}/v1/${api.id}`, key, input: example.input })}
\`\`\`
\`\`\`json
${answer}\`\`\`

Fields of \`data\`:

${fieldList(api)}`
}

/** The answer of an API's first example as indented JSON, in the envelope. */
export function exampleAnswer({ examples: [example] }: ApiDefinition): string {
  return `${JSON.stringify({ status: "ok", error: null, data: example?.output }, null, 2)}\n`
}

function parameterList({ input }: ApiDefinition): string {
  const required = new Set(input.required)
  return Object.entries(input.properties)
    .map(([name, schema]) => {
      const marks = `${required.has(name) ? ", required" : ""}${isPremium(schema) ? ", premium" : ""}${isSecret(schema) ? ", secret" : ""}`
      const value = toRequirement(schema).replace(/^must be /, "") + defaultOf(schema)
      return `- \`${name}\`${marks}, ${value}: ${describe(schema)}\n`
    })
    .join("")
}

function describe(schema: TSchema): string {
  const mark = deprecationOf(schema)
  return `${schema.description ?? ""}${mark ? ` ${deprecationText(mark)}` : ""}`
}

function defaultOf({ default: value }: TSchema): string {
  return value === undefined ? "" : `; ${value} unless it is given`
}

/** A type is left out where the meaning says it: choices that are explained, a boolean's "Whether", "null if". */
function fieldList({ output }: ApiDefinition): string {
  return fieldsOf(output)
    .map(({ path, schema, premium }) => {
      const meaning = describe(schema)
      const isExplained = choicesOf(schema)?.every((choice) => meaning.includes(`\`${choice}\``))
      const type = `, ${isExplained ? "one of these" : typeOf(schema)}`
        .replace(meaning.startsWith("Whether") ? ", true or false" : "", "")
        .replace(meaning.includes("null ") || meaning.includes("null.") ? / or null$/ : "", "")
      return `- \`${path}\`${premium ? ", premium" : ""}${type}: ${meaning}\n`
    })
    .join("")
}

/** A field of an answer, for documentation. */
export interface Field {
  /** `a.b` is a field of an object, `a[].b` a field of each object in a list. */
  readonly path: string
  readonly schema: TSchema
  /** Whether the field or one that it is in is premium. */
  readonly premium: boolean
}

/** Every field of a schema, at any depth. */
export function fieldsOf(schema: TSchema): readonly Field[] {
  const withAllBelow = (field: Field): readonly Field[] => [field, ...fieldsIn(field).flatMap(withAllBelow)]
  return fieldsIn({ path: "", schema, premium: false }).flatMap(withAllBelow)
}

/** The fields directly in a field: those of its object, or of each object in its list, also where it may be null. */
export function fieldsIn({ path, schema, premium }: Field): readonly Field[] {
  if (Array.isArray(schema.anyOf)) {
    const all = schema.anyOf.flatMap((member: TSchema) => fieldsIn({ path, schema: member, premium }))
    return [...new Map(all.map((field) => [field.path, field])).values()]
  }
  if (schema.type === "array") return fieldsIn({ path: `${path}[]`, schema: schema.items, premium })
  const children = Object.entries((schema.properties ?? {}) as Record<string, TSchema>)
  return children.map(([name, child]) => ({
    path: path === "" ? name : `${path}.${name}`,
    schema: child,
    premium: premium || isPremium(child),
  }))
}

/** The type of a value in words. Choices stand in backticks. */
export function typeOf(schema: TSchema): string {
  const choices = choicesOf(schema)
  if (choices) return choices.map((choice) => `\`${choice}\``).join(", ")
  if (isJsonValue(schema)) return "any JSON value"
  if (Array.isArray(schema.anyOf)) return schema.anyOf.map(typeOf).join(" or ")
  if (schema.type === "array") return `list of ${typeOf(schema.items)}s`
  if (schema.type === "boolean") return "true or false"
  return schema.type === "integer" ? "whole number" : String(schema.type)
}
