import { KindGuard, type TSchema } from "@sinclair/typebox"
import type { Operation } from "../../../admin/operation.ts"
import { itemOf } from "../../../admin/pages.ts"
import { needsBody, type OperationRoute, operationIdOf, toName } from "../../http/admin/operation-routes.ts"
import { type JsonObject, objectOf, refTo, toJsonSchema } from "../json-object.ts"
import { problemsOf } from "./problem-responses.ts"

type Schemas = Pick<AdminSchemas, "convert" | "outputOf">

/** The OpenAPI operation of one route of the admin API. */
export function operationOf(route: OperationRoute, schemas: Schemas): JsonObject {
  const { id, title, description, permission, isFinal, output, status = 200 } = route.operation
  const parameters = parametersOf(route, schemas)
  const body = bodyOf(route, schemas)
  return {
    operationId: operationIdOf(route),
    tags: [groupOf(id)],
    summary: title,
    description: isFinal ? `${description} This cannot be undone.` : description,
    "x-operation": id,
    "x-permission": permission,
    ...(itemOf(output) && { "x-pagination": { cursor: "after", next: "next", more: "has_more" } }),
    ...(parameters.length > 0 && { parameters }),
    ...(body && { requestBody: body }),
    responses: { [status]: answerOf(route, schemas), ...failuresOf(route) },
  }
}

/**
 * The same for readers of the app, with the definition's own schemas. They are in a route's `detail`: in `query` or `body` Elysia
 * would check them a second time, and before a customer's own account is filled in (decision 19). They are not clones, since
 * Elysia changes nothing there, and to clone them takes longer than to make the routes.
 */
export function detailOf(route: OperationRoute): JsonObject {
  return operationOf(route, { convert: (schema) => schema, outputOf: ({ output }) => output })
}

/** The group of an operation: `keys` of `keys.rotate`. */
export function groupOf(id: string): string {
  return id.split(".")[0] ?? id
}

/** Whether a parameter is a member of the JSON body. */
function isInBody({ operation: { method }, inPath }: OperationRoute, name: string): boolean {
  return method !== "GET" && !inPath.includes(name)
}

function parametersOf(route: OperationRoute, { convert }: Schemas): readonly JsonObject[] {
  const { input, example, run } = route.operation
  const outside = Object.entries(input.properties).filter(([name]) => !isInBody(route, name))
  const own = outside.map(([name, given]): JsonObject => {
    const { description, ...schema } = convert(given)
    const place = route.inPath.includes(name) ? "path" : "query"
    const required = place === "path" || input.required?.includes(name) === true
    const shown = name in example && { example: example[name] }
    return { name, in: place, required, description, schema, ...shown }
  })
  if (run.kind !== "change" && run.kind !== "bulk") return own
  const ifMatch = takesIfMatch(route) ? [refTo("parameters", "IfMatch")] : []
  return [...own, refTo("parameters", "IdempotencyKey"), ...ifMatch]
}

function bodyOf(route: OperationRoute, { convert }: Schemas) {
  const { input, example } = route.operation
  const members = Object.entries(input.properties).filter(([name]) => isInBody(route, name))
  if (members.length === 0) return null
  const required = (input.required ?? []).filter((name) => isInBody(route, name))
  const schema = {
    type: "object",
    ...(required.length > 0 && { required }),
    properties: Object.fromEntries(members.map(([name, schema]) => [name, convert(schema)])),
    additionalProperties: false,
  }
  const shown = Object.fromEntries(Object.entries(example).filter(([name]) => isInBody(route, name)))
  return { required: needsBody(route), content: { "application/json": { schema, example: shown } } }
}

function answerOf({ operation }: OperationRoute, schemas: Schemas): JsonObject {
  const { output, run, status, title } = operation
  // `config.get` answers a record, and has a version too.
  const isVersioned =
    KindGuard.IsRecord(output) || (KindGuard.IsObject(output) && "version" in output.properties)
  const names = [
    "X-Request-ID",
    ...(isVersioned ? ["ETag"] : []),
    ...(run.kind === "change" ? ["Idempotent-Replayed"] : []),
    ...(status === 201 ? ["Location"] : []),
    ...(run.kind === "watch" ? ["X-Accel-Buffering"] : []),
    ...(run.kind === "file" ? ["Content-Disposition"] : []),
  ]
  return {
    description: `${title}: done.`,
    headers: Object.fromEntries(names.map((name) => [name, refTo("headers", name)])),
    content: contentOf(operation, schemas),
  }
}

function contentOf(operation: Operation, schemas: Schemas): JsonObject {
  const { format, run } = operation
  if (run.kind === "watch") {
    const events = {
      type: "string",
      description:
        "Server-sent events. The `data` of a `message` is one entry. `lost` gives the `count` of entries that were left out since too many came or were not read; `end` a `reason`: `closing`, or `not-allowed` when the admin key no longer works.",
      contentMediaType: "application/json",
      contentSchema: schemas.outputOf(operation),
    }
    return { "text/event-stream": { schema: events } }
  }
  if (run.kind === "file")
    return {
      "application/octet-stream": { schema: { ...schemas.convert(operation.output), format: "binary" } },
    }
  if (format === "json-lines")
    return { "application/x-ndjson": { schema: { type: "string", description: "One JSON object a line." } } }
  const table = { type: "string", description: "A table (RFC 4180), its first row the names of the fields." }
  return {
    "application/json": { schema: schemas.outputOf(operation) },
    ...("format" in operation.input.properties && { "text/csv": { schema: table } }),
  }
}

/** Whether it changes something that has an ETag. */
function takesIfMatch({ operation: { method, run }, inPath }: OperationRoute): boolean {
  return run.kind === "change" && (inPath.length > 0 || method === "PATCH")
}

function failuresOf(route: OperationRoute): JsonObject {
  const { method, run } = route.operation
  return problemsOf([
    400,
    401,
    403,
    404,
    405,
    ...(method === "GET" ? [] : ([408, 413, 415] as const)),
    409,
    ...(run.kind === "change" ? ([422] as const) : []),
    ...(takesIfMatch(route) ? ([412] as const) : []),
    429,
    500,
    503,
  ])
}

/** The schemas of answers. One that several operations share has one name, so that a generated client has one type for it. */
type AdminSchemas = ReturnType<typeof createSchemas>

/** @param apiIds the ids that a parameter for an API takes */
export function createSchemas(operations: readonly Operation[], apiIds: readonly string[]) {
  const convert = (schema: TSchema) => clean(toJsonSchema(schema), apiIds) as JsonObject
  const names = new Map<TSchema, string>()
  for (const { id, output, run } of operations) {
    if (run.kind === "file") continue
    const schema = itemOf(output) ?? output
    if (names.has(schema)) continue
    const [group = id] = id.split(".")
    const short = toName(group.replace(/s$/, ""))
    names.set(schema, [...names.values()].includes(short) ? `${toName(id)}Answer` : short)
  }
  const referTo = (schema: TSchema) => refTo("schemas", names.get(schema) ?? "")
  return {
    /** Converts a schema to JSON Schema, without what only the command line reads. */
    convert,
    /** The schema of an operation's answer, or a reference to it. */
    outputOf({ output }: Operation): JsonObject {
      const item = itemOf(output)
      if (!item) return referTo(output)
      const { data, ...others } = output.properties
      const properties = Object.fromEntries(
        Object.entries(others).map(([name, schema]) => [name, convert(schema as TSchema)]),
      )
      const all = objectOf({
        data: { type: "array", description: data.description, items: referTo(item) },
        ...properties,
      })
      return { ...all, required: output.required }
    },
    /** All named schemas. */
    components: (): Readonly<Record<string, JsonObject>> =>
      Object.fromEntries([...names].map(([schema, name]) => [name, convert(schema)])),
  }
}

/** A TypeBox record becomes an object with additional properties, which more client generators know. */
function clean(value: unknown, apiIds: readonly string[]): unknown {
  if (Array.isArray(value)) return value.map((item) => clean(item, apiIds))
  if (typeof value !== "object" || value === null) return value
  const {
    "x-flag": _flag,
    "x-pairs": _pairs,
    "x-requirement": _words,
    "x-ungrouped": _plain,
    "x-operator-only": _for,
    "x-customer-text": _text,
    "x-api-id": isApiId,
    patternProperties,
    ...rest
  } = value as JsonObject
  const members = Object.entries(rest).map(([name, part]) => [name, clean(part, apiIds)])
  const [values] = Object.values((patternProperties ?? {}) as JsonObject)
  return {
    ...Object.fromEntries(members),
    ...(isApiId === true && { enum: apiIds }),
    ...(values !== undefined && { additionalProperties: clean(values, apiIds) }),
  }
}
