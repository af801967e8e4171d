import type { ApiDefinition, Example } from "../../apis/contract.ts"
import { toFieldName, toRootField } from "../graphql/names.ts"
import { inputName } from "../openapi/api-parts.ts"
import type { Site } from "./site.ts"

/** A GraphQL query that can be run as it is. */
export interface QueryExample {
  readonly name: string
  readonly query: string
  readonly variables: Readonly<Record<string, unknown>>
  /** The id of the first API that it names. */
  readonly api: string
}

/** A field of a query: an API with the input of an example. */
interface QueryField {
  readonly definition: ApiDefinition
  readonly example: Example
  /** The field's name in the answer, where it is not the API's. */
  readonly alias?: string
}

/** The APIs that GraphQL offers: all but those that take a file. */
export function graphqlApis({ apis }: Pick<Site, "apis">): readonly ApiDefinition[] {
  return apis.flatMap(({ definition }) => (definition.takesFile ? [] : definition))
}

/**
 * Queries for one API, two APIs, and one API with two inputs; fewer where the APIs do not suffice. They take the APIs with the
 * shortest answers, and those that ask other servers last.
 */
export function queryExamples(site: Pick<Site, "apis">): readonly QueryExample[] {
  const fields = graphqlApis(site)
    .toSorted(
      (one, other) =>
        Number(asksOutside(one)) - Number(asksOutside(other)) || lengthOf(one) - lengthOf(other),
    )
    .flatMap((definition) => definition.examples.slice(0, 1).map((example) => ({ definition, example })))
  const [first, second] = fields
  if (!first) return []
  const repeated = fields.find(({ definition }) => definition.examples.length > 1)?.definition
  const aliases = ["first", "second"] as const
  const twice = repeated?.examples
    .slice(0, aliases.length)
    .map((example, index) => ({ definition: repeated, example, alias: `${aliases[index]}` }))
  return [
    toExample("One API", [first]),
    ...(second ? [toExample("Two APIs", [first, second])] : []),
    ...(twice ? [toExample("One API twice", twice)] : []),
  ]
}

/** A query with a variable for the parameters of each field. */
function toExample(name: string, fields: readonly QueryField[]): QueryExample {
  const parts = fields.map(({ definition: { id, input }, example, alias }, index) => {
    const variable = fields.length === 1 ? "input" : `input${index + 1}`
    const takesInput = Object.keys(input.properties).length > 0
    const field = `${alias === undefined ? "" : `${alias}: `}${toRootField(id)}${takesInput ? `(input: $${variable})` : ""}`
    return {
      declared: takesInput ? [`$${variable}: ${inputName(id)}!`] : [],
      text: `  ${field} {\n${selectedIn(example)
        .map((selected) => `    ${selected}\n`)
        .join("")}  }\n`,
      values: takesInput ? [[variable, renamed(example.input)] as const] : [],
    }
  })
  const declared = parts.flatMap((part) => part.declared).join(", ")
  return {
    name,
    query: `query${declared && ` (${declared})`} {\n${parts.map(({ text }) => text).join("")}}`,
    variables: Object.fromEntries(parts.flatMap(({ values }) => values)),
    api: fields[0]?.definition.id ?? "",
  }
}

/** The first fields of an answer that have no fields of their own. */
function selectedIn({ output }: Example): readonly string[] {
  const plain = Object.entries(output).filter(([, value]) => /^(?:string|number|boolean)$/.test(typeof value))
  return plain.length === 0 ? ["__typename"] : plain.slice(0, 4).map(([field]) => toFieldName(field))
}

function renamed(input: Example["input"]): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    Object.entries(input).map(([parameter, value]) => [toFieldName(parameter), value]),
  )
}

function asksOutside({ asksDns = false, asksWeb = false }: ApiDefinition): boolean {
  return asksDns || asksWeb
}

/** The characters of the first example's answer. */
function lengthOf({ examples }: ApiDefinition): number {
  return JSON.stringify(examples[0]?.output ?? {}).length
}
