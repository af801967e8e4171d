import type { TSchema } from "@sinclair/typebox"
import type { ApiDefinition } from "../../src/apis/contract.ts"
import { toFieldName, toRootField, toTypeName } from "../../src/surfaces/graphql/names.ts"

/** The body of a GraphQL answer as a client reads it. */
interface GraphqlAnswer {
  readonly data?: Readonly<Record<string, unknown>> | null
  readonly errors?: readonly {
    readonly message: string
    readonly path?: readonly (string | number)[]
    readonly extensions: { readonly code: string }
  }[]
}

export async function readGraphql(response: Response | Promise<Response>) {
  const answer = await response
  const body = (await answer.json()) as GraphqlAnswer
  return {
    status: answer.status,
    headers: answer.headers,
    body,
    codes: (body.errors ?? []).map(({ extensions }) => extensions.code),
  }
}

/** A query for every field of an API, with its parameters in a variable. */
export function toQuery(api: ApiDefinition, input: Readonly<Record<string, unknown>>) {
  const field = toRootField(api.id)
  return {
    query: `query Everything($input: ${toTypeName(api.id, "input")}!) { ${field}(input: $input) ${selectionOf(api.output)} }`,
    variables: { input: renamed(input) },
  }
}

/** The data of a REST answer as GraphQL gives them: a missing field is null. */
export function withNulls(schema: TSchema, data: unknown): unknown {
  const object = schemaOf(schema, "object")
  const array = schemaOf(schema, "array")
  if (data === null || data === undefined) return null
  if (array) return (data as unknown[]).map((item) => withNulls(array.items, item))
  if (!object) return data
  const values = data as Record<string, unknown>
  return Object.fromEntries(
    Object.entries(object.properties as Record<string, TSchema>).map(([name, member]) => [
      toFieldName(name),
      withNulls(member, values[name]),
    ]),
  )
}

const renamed = (input: Readonly<Record<string, unknown>>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(input).map(([name, value]) => [toFieldName(name), value]))

function selectionOf(schema: TSchema): string {
  const array = schemaOf(schema, "array")
  if (array) return selectionOf(array.items)
  const object = schemaOf(schema, "object")
  if (!object) return ""
  const fields = Object.entries(object.properties as Record<string, TSchema>)
  return `{ ${fields.map(([name, member]) => `${toFieldName(name)} ${selectionOf(member)}`).join(" ")} }`
}

const schemaOf = (schema: TSchema, type: "object" | "array"): TSchema | undefined =>
  [schema, ...((schema.anyOf ?? []) as TSchema[])].find((one) => one.type === type)
