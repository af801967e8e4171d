import { isDeepStrictEqual } from "node:util"
import { type Static, type TObject, type TSchema, Type } from "@sinclair/typebox"
import { Value } from "@sinclair/typebox/value"
import { webhookTypes } from "../../../admin/accounts/account.ts"
import { type ApiDefinition, InputRejected, reject, secretsOf } from "../../../apis/contract.ts"
import { compileInput, type TextInput } from "../../../call/input.ts"
import { toRequirement } from "../../../call/requirement.ts"
import { effectNames, faultSchema, type Rule, type WebhookFault } from "../../../mock/faults.ts"
import { maxBodyCharacters } from "../../../mock/journal.ts"
import type { AnswerEdit, Chance, Delay } from "../../../mock/rule.ts"
import { type Stub, stubSchema } from "../../../mock/stubs.ts"
import { type Expectation, expectationSchema, type Pattern, patternSchema } from "../../../mock/verify.ts"
import { isObject } from "../../../values/is-object.ts"
import { latestMs, parseDuration, parseInstant } from "../../../values/time-text.ts"
import { checkedBy } from "../rest.ts"

type Body = Readonly<Record<string, unknown>>
type Apis = ReadonlyMap<string, ApiDefinition>

const clockBody = Type.Object({ now: Type.Optional(Type.String()), advance: Type.Optional(Type.String()) })
const filterQuery = Type.Pick(patternSchema, ["api", "status", "key"])

/**
 * The bodies of `/_mock/faults`, `/_mock/stubs` and `/_mock/clock`, and the query of `/_mock/requests`, without unknown fields.
 */
export const controlSchemas = {
  fault: checkedBody(faultSchema),
  stub: checkedBody(stubSchema),
  clock: checkedBody(clockBody),
  verify: checkedBody(expectationSchema),
  profile: checkedBody(Type.Object({ name: Type.String() })),
  filter: checkedQuery(filterQuery),
  /** A path without parameters. */
  noQuery: checkedQuery(Type.Object({})),
  /** DNS records, or replies of other hosts, as YAML or JSON, which their readers check. */
  fixtureText: checkedBy(Type.String(), (text: string) => text),
  /** A path that takes no body. One is refused: its sender means something by it, such as which fault to delete. */
  noBody: checkedBy(Type.String({ maxLength: 0 }), (text: string) => {
    if (text.trim() !== "" && text.trim() !== "{}") reject("body", "must be left out: this path takes none")
    return ""
  }),
}

/** Checks of a fault what its schema cannot. Like the other checks here it throws an InputRejected that names the field. */
export function requireFault(rule: Static<typeof faultSchema>, apis: Apis): Rule {
  if (rule.webhook) return requireWebhookFault(rule)
  const own = ownEffects.find((name) => rule[name])
  if (own !== undefined) reject("webhook", `is missing: '${own}' is for webhooks, which need "webhook": true`)
  const { api, input } = rule
  const definition = api === undefined ? null : requireApi(api, apis)
  if (input && definition === null) reject("api", "is missing: an input is one of an API")
  if (input && definition) requireParameters(input, definition)
  requireRule(rule)
  const hasEffect = isEdit(rule) || effectNames.some((name) => rule[name])
  const effects = `${effectNames.join(", ")}, headers or body`
  requireEffect(rule.times, hasEffect, `is missing: a fault needs one of ${effects}`)
  return rule
}

/** A rule for no calls removes another, so it has no effect. */
function requireEffect(times: number | undefined, hasEffect: boolean, missing: string): void {
  if (times === 0 && hasEffect)
    reject("times", "must be at least 1, or 0 alone to remove the fault of these calls")
  if (times !== 0 && !hasEffect) reject("status", missing)
}

/** Effects of a webhook with which no request is sent at the time of the attempt. */
const unsentEffects = ["status", "delay_ms", "drop"] as const
/** Effects that only webhooks have. */
const ownEffects = ["drop", "twice", "bad_signature", "late_timestamp"] as const
const ruleNames = ["webhook", "times", "probability", "seed"]
const webhookFields: readonly string[] = [...ruleNames, ...unsentEffects, ...ownEffects]

function requireWebhookFault(rule: Static<typeof faultSchema>): WebhookFault {
  const other = Object.keys(rule).find((name) => !webhookFields.includes(name))
  if (other !== undefined) reject(other, "must be left out: it is for calls, and this fault for webhooks")
  requireRule(rule)
  const effects = [...new Set([...unsentEffects, ...ownEffects])].filter((name) => rule[name])
  const own = `a status, a delay_ms, or one of ${ownEffects.join(", ")}`
  requireEffect(rule.times, effects.length > 0, `is missing: a fault of webhooks needs ${own}`)
  const alone = unsentEffects.find((name) => effects.includes(name))
  if (alone !== undefined && effects.length > 1)
    reject(alone, "must be the only effect: with it nothing is sent")
  const { delay_ms, ...rest } = rule
  if (typeof delay_ms === "object") return reject("delay_ms", "must be one number for webhooks")
  return { ...rest, ...(delay_ms !== undefined && { delay_ms }), webhook: true }
}

/** Checks of a stub what its schema cannot: parameters and fields must be the API's, and fields of the right type. */
export function requireStub(stub: Stub, apis: Apis): Stub {
  const definition = requireApi(stub.api, apis)
  requireParameters(stub.input ?? {}, definition)
  requireFields(stub.data ?? {}, definition.output, "data", `is not a field that '${stub.api}' answers with`)
  requireRule(stub)
  if (stub.data === undefined && !isEdit(stub))
    reject("data", "is missing: a stub needs a data, headers or a body")
  if (stub.data !== undefined && stub.body !== undefined)
    reject("body", "must not be given together with 'data', which it would replace")
  return stub
}

function requireParameters(values: object, { id, input }: ApiDefinition): void {
  requireFields(values, input, "input", `is not a parameter of '${id}'`)
}

/** A token of RFC 9110 §5.6.2. */
const headerName = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/
/** They say where a body ends, so the server sets them. */
const framingHeaders: ReadonlySet<string> = new Set(["content-length", "transfer-encoding", "connection"])

/** Checks what the schema cannot: names and values of headers, a delay, and a seed of nothing. */
function requireRule(rule: AnswerEdit & Chance & { delay_ms?: Delay }): void {
  const { headers = {}, probability, seed, delay_ms: delay } = rule
  if (typeof delay === "object") {
    if ("min" in delay && delay.min > delay.max) reject("delay_ms", "must have a 'min' of at most 'max'")
    if ("p50" in delay && delay.p50 > delay.p99) reject("delay_ms", "must have a 'p50' of at most 'p99'")
  } else if (seed !== undefined && probability === undefined)
    reject("probability", "is missing: a seed is for one, or for a delay_ms with two numbers")
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

/** Checks of an expectation what its schema cannot: contradictions, and conditions that the journal cannot know. */
export function requireExpectation(body: Static<typeof expectationSchema>, apis: Apis): Expectation {
  const { order, ...counted } = body
  const { count, at_least, at_most, ...pattern } = counted
  const names = ["count", "at_least", "at_most"] as const
  const [first, second] = names.filter((name) => body[name] !== undefined)
  if (order && first) reject(first, "must not be given together with 'order'")
  if (count !== undefined && second) reject("count", `must not be given together with '${second}'`)
  if (at_least !== undefined && at_most !== undefined && at_least > at_most)
    reject("at_least", `must not be more than 'at_most', which is ${at_most}`)
  requirePattern(pattern, apis)
  if (!order) return counted
  const check = (step: Body) => {
    const all = { ...readPattern(step), ...pattern }
    const other = Object.keys(step).find((name) => !isDeepStrictEqual(all[name as keyof Pattern], step[name]))
    if (other) reject(other, `must not differ from the '${other}' beside 'order', which holds for each step`)
    return requirePattern(all, apis)
  }
  const patterns = order.map((step, index) => at(`order[${index}].`, () => check(step)))
  if (new Set(patterns.map(({ webhook }) => webhook === undefined)).size > 1)
    reject("order", "must be of requests alone or of webhooks alone: which came first is not known")
  return { order: patterns }
}

const readPattern = readerOf(patternSchema)

/** Headers with credentials: the journal keeps their beginning. */
const shortenedHeaders = /^(?:x-api-key|x-admin-key|authorization|x-csrf-token)$/i

function requirePattern(pattern: Pattern, apis: Apis): Pattern {
  const { webhook, ...ofRequest } = pattern
  const { api, input, header = {} } = ofRequest
  if (webhook !== undefined) {
    const [other] = Object.keys(ofRequest)
    if (other !== undefined)
      reject(other, "must not be given together with 'webhook': it is a condition of requests")
    if (!webhookTypes.includes(webhook)) reject("webhook", `must be one of ${webhookTypes.join(", ")}`)
  }
  const definition = api === undefined ? null : requireApi(api, apis)
  if (input) {
    if (!definition) return reject("api", "is missing: an input is one of an API")
    requireParameters(input, definition)
    const isLong = JSON.stringify(input).length > maxBodyCharacters
    if (isLong) reject("input", "must be shorter: the journal keeps none of this length")
    const secret = secretsOf(definition).find((name) => Object.hasOwn(input, name))
    if (secret !== undefined) reject(`input.${secret}`, "must be left out: the journal keeps no secrets")
  }
  for (const name of Object.keys(header)) {
    const field = `header.${name}`.slice(0, 100)
    if (!headerName.test(name)) reject(field, "must have the name of a header")
    if (shortenedHeaders.test(name)) reject(field, "must be left out: the journal cuts it. Use 'key'")
  }
  return pattern
}

/** Names the place of a refused field. */
function at<T>(place: string, check: () => T): T {
  try {
    return check()
  } catch (thrown) {
    if (thrown instanceof InputRejected) return reject(`${place}${thrown.parameter}`, thrown.requirement)
    throw thrown
  }
}

/** The instant that a clock is set to, in milliseconds since 1970. */
export function toInstant({ now, advance }: Static<typeof clockBody>, nowMs: number): number {
  if (now !== undefined && advance !== undefined) reject("advance", "must not be given together with 'now'")
  if (now !== undefined) {
    const instant = parseInstant(now)
    if (instant === null || instant < 0)
      return reject("now", "must be an instant from 1970 to 9999, such as 2025-01-31T12:00:00Z")
    return instant
  }
  if (advance === undefined) return reject("now", "is missing: the clock needs a now or an advance")
  const duration = parseDuration(advance)
  if (duration === null)
    return reject("advance", "must be a time such as 90s, 15m, 24h or 31d; 'now' also sets an earlier one")
  if (nowMs + duration > latestMs) return reject("advance", "must not lead past the year 9999")
  return nowMs + duration
}

function checkedBody<T extends TObject>(schema: T) {
  return checkedBy(schema, readerOf(schema))
}

function readerOf<T extends TObject>(schema: T) {
  const read = compileInput(schema)
  return (values: Body) => {
    for (const name of Object.keys(values)) requireKnown(name, schema)
    return read({ kind: "typed", values }) as Static<T>
  }
}

function checkedQuery<T extends TObject>(schema: T) {
  const read = compileInput(schema)
  return checkedBy(schema, (query: TextInput) => {
    for (const { name, text } of query.parameters) {
      if (text === null) reject(name, "must be percent-encoded UTF-8")
    }
    for (const { name } of query.parameters) requireKnown(name, schema)
    return read(query) as Static<T>
  })
}

/** A mistyped field would otherwise be ignored, and the fault or filter never match. */
function requireKnown(name: string, schema: TObject): void {
  if (Object.hasOwn(schema.properties, name)) return
  const known = Object.keys(schema.properties)
  reject(name.slice(0, 100), `is not known here${known.length > 0 ? `; there are ${known.join(", ")}` : ""}`)
}

/** The definition of an API. Throws an InputRejected when there is none. */
export function requireApi(id: string, apis: Apis): ApiDefinition {
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
    for (const [index, item] of value.entries())
      requireFields(item, schema.items, `${path}[${index}]`, unknown)
  } else if (!Value.Check(schema, value)) reject(path, toRequirement(schema))
}
