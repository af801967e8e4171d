import { type Static, type TObject, type TSchema, Type } from "@sinclair/typebox"
import { Value } from "@sinclair/typebox/value"
import { type ApiDefinition, reject } from "../../../apis/contract.ts"
import { compileInput, type TextInput } from "../../../call/input.ts"
import { toRequirement } from "../../../call/requirement.ts"
import type { FaultRule } from "../../../mock/faults.ts"
import type { AnswerEdit, Chance } from "../../../mock/rule.ts"
import type { Stub } from "../../../mock/stubs.ts"
import { parseDuration, parseInstant } from "../../../values/time-text.ts"

type Body = Readonly<Record<string, unknown>>
type Apis = ReadonlyMap<string, ApiDefinition>

const object = () => Type.Record(Type.String(), Type.Unknown(), { "x-requirement": "must be an object" })
const key = Type.String({ minLength: 1, maxLength: 200 })

/** Fields that faults and stubs share. */
const ruleFields = {
  input: Type.Optional(object()),
  probability: Type.Optional(
    Type.Number({ exclusiveMinimum: 0, maximum: 1, "x-requirement": "must be a number over 0 and up to 1" }),
  ),
  seed: Type.Optional(Type.Integer({ minimum: 0, maximum: 2 ** 31 - 1 })),
  headers: Type.Optional(
    Type.Record(Type.String(), Type.String(), { "x-requirement": "must be an object of texts" }),
  ),
  body: Type.Optional(Type.Unknown()),
}

const faultBody = Type.Object({
  api: Type.Optional(Type.String()),
  key: Type.Optional(key),
  ...ruleFields,
  times: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000_000 })),
  status: Type.Optional(Type.Integer({ minimum: 400, maximum: 599 })),
  delay_ms: Type.Optional(Type.Integer({ minimum: 0, maximum: 600_000 })),
  reset: Type.Optional(Type.Boolean()),
  malformed: Type.Optional(Type.Boolean()),
})
const stubBody = Type.Object({ api: Type.String(), ...ruleFields, data: Type.Optional(object()) })
const clockBody = Type.Object({ now: Type.Optional(Type.String()), advance: Type.Optional(Type.String()) })
const filterQuery = Type.Object({
  api: Type.Optional(Type.String()),
  status: Type.Optional(Type.Integer({ minimum: 100, maximum: 599 })),
  key: Type.Optional(key),
})

const readFaultBody = compileBody(faultBody)
const readStubBody = compileBody(stubBody)
const readClockBody = compileBody(clockBody)
const readFilterQuery = compileInput(filterQuery)

/** The end of the last year that has four digits. */
const latestMs = Date.UTC(10_000, 0) - 1

/** The body of `PUT /_mock/faults`. Like the other readers here it throws an InputRejected that names the field. */
export function readFault(body: Body, apis: Apis): FaultRule {
  const rule = readFaultBody(body)
  const { api, input, status, delay_ms, reset, malformed } = rule
  const definition = api === undefined ? null : requireApi(api, apis)
  if (input && definition === null) reject("api", "is missing: an input is one of an API")
  if (input && definition) requireParameters(input, definition)
  requireRule(rule)
  if (status === undefined && !delay_ms && !reset && !malformed && !isEdit(rule)) {
    reject(
      "status",
      "is missing: a fault needs a status, a delay_ms, a reset, a malformed, headers or a body",
    )
  }
  return rule
}

/** The body of `PUT /_mock/stubs`: parameters and fields must be the API's, and fields of the right type. */
export function readStub(body: Body, apis: Apis): Stub {
  const stub = readStubBody(body)
  const definition = requireApi(stub.api, apis)
  requireParameters(stub.input ?? {}, definition)
  requireFields(stub.data ?? {}, definition.output, "data", `is not a field that '${stub.api}' answers with`)
  requireRule(stub)
  if (stub.data === undefined && !isEdit(stub)) {
    reject("data", "is missing: a stub needs a data, headers or a body")
  }
  if (stub.data !== undefined && stub.body !== undefined) {
    reject("body", "must not be given together with 'data', which it would replace")
  }
  return stub
}

function requireParameters(values: object, { id, input }: ApiDefinition): void {
  requireFields(values, input, "input", `is not a parameter of '${id}'`)
}

/** What RFC 9110 §5.6.2 calls a token. */
const headerName = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/
/** They say where a body ends, so the server sets them. */
const framingHeaders: ReadonlySet<string> = new Set(["content-length", "transfer-encoding", "connection"])

/** Checks what the schema cannot: names and values of headers, and a seed without a probability. */
function requireRule({ headers = {}, probability, seed }: AnswerEdit & Chance): void {
  if (seed !== undefined && probability === undefined) reject("probability", "is missing: a seed is for one")
  for (const [name, value] of Object.entries(headers)) {
    const field = `headers.${name}`.slice(0, 100)
    if (!headerName.test(name)) reject(field, "must have the name of a header")
    if (framingHeaders.has(name.toLowerCase())) reject(field, "is set by the server and cannot be changed")
    if (!/^[\t -~]*$/.test(value)) reject(field, "must be printable ASCII")
  }
}

function isEdit({ headers, body }: AnswerEdit): boolean {
  return body !== undefined || Object.keys(headers ?? {}).length > 0
}

/** The body of `PUT /_mock/clock`, as the instant that the clock is set to. */
export function readClock(body: Body, nowMs: number): number {
  const { now, advance } = readClockBody(body)
  if (now !== undefined && advance !== undefined) reject("advance", "must not be given together with 'now'")
  if (now !== undefined) {
    const instant = parseInstant(now)
    if (instant === null || instant < 0) {
      return reject("now", "must be an instant from 1970 to 9999, such as 2025-01-31T12:00:00Z")
    }
    return instant
  }
  if (advance === undefined) return reject("now", "is missing: the clock needs a now or an advance")
  const duration = parseDuration(advance)
  if (duration === null) return reject("advance", "must be a time such as 90s, 15m, 24h or 31d")
  if (nowMs + duration > latestMs) return reject("advance", "must not lead past the year 9999")
  return nowMs + duration
}

/** The query of `GET /_mock/requests`. */
export function readFilter(query: TextInput, apis: Apis): Static<typeof filterQuery> {
  for (const { name } of query.parameters) requireKnown(name, filterQuery)
  const filter = readFilterQuery(query) as Static<typeof filterQuery>
  if (filter.api !== undefined) requireApi(filter.api, apis)
  return filter
}

export function requireNothing({ parameters }: TextInput): void {
  for (const { name } of parameters) reject(name, "is not known here")
}

/** Refuses a body that would be ignored: its sender means something by it, such as which fault to delete. */
export function requireNoBody(text: string): void {
  if (text.trim() !== "" && text.trim() !== "{}") reject("body", "must be left out: this path takes none")
}

function compileBody<T extends TObject>(schema: T): (body: Body) => Static<T> {
  const read = compileInput(schema)
  return (body) => {
    for (const name of Object.keys(body)) requireKnown(name, schema)
    return read({ kind: "typed", values: body }) as Static<T>
  }
}

/** A mistyped field would otherwise be ignored, and the fault or filter never match. */
function requireKnown(name: string, schema: TObject): void {
  if (Object.hasOwn(schema.properties, name)) return
  reject(name.slice(0, 100), `is not known here; there are ${Object.keys(schema.properties).join(", ")}`)
}

function requireApi(id: string, apis: Apis): ApiDefinition {
  return apis.get(id) ?? reject("api", `must be one of ${[...apis.keys()].join(", ")}`)
}

/** Checks each value against its field's type, at any depth. Fields may be left out. */
function requireFields(value: unknown, schema: TSchema, path: string, unknown: string): void {
  if (schema.type === "object" && isObject(value)) {
    for (const [name, inner] of Object.entries(value)) {
      const fields = schema.properties as TObject["properties"]
      const field = Object.hasOwn(fields, name) ? fields[name] : undefined
      if (!field) reject(`${path}.${name}`.slice(0, 100), unknown)
      requireFields(inner, field, `${path}.${name}`, unknown)
    }
  } else if (schema.type === "array" && schema.items.type === "object" && Array.isArray(value)) {
    for (const [index, item] of value.entries()) {
      requireFields(item, schema.items, `${path}[${index}]`, unknown)
    }
  } else if (!Value.Check(schema, value)) reject(path, toRequirement(schema))
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value)
}
