import { type IntegerOptions, type StringOptions, type TSchema, Type } from "@sinclair/typebox"
import { choice, defineFormat, nullable, nullableText } from "../apis/contract.ts"
import { parseDuration, parseInstant } from "../values/time-text.ts"
import { invalid } from "./fault.ts"

/** Parameters and fields that several operations have. */

/** A text that may be left out. */
export const optionalText = (description: string, options: StringOptions = {}) =>
  Type.Optional(Type.String({ ...options, description }))

/** A condition that may be left out. */
export const optionalFlag = (description: string, options: { readonly default?: boolean } = {}) =>
  Type.Optional(Type.Boolean({ ...options, description }))

/** An id that the store gives. */
export const idText = (description: string) => Type.String({ minLength: 1, maxLength: 100, description })
export const accountId = idText("The account's id, which starts with `acc_`.")
export const keyId = idText("The key's id, which starts with `key_`.")

/** The id of an API that the service offers. The document of the admin API lists them. */
export const apiId = Type.String({ maxLength: 100, "x-api-id": true })

/** A number that is a name, such as a version: it is no amount, so its digits are not grouped. */
export const idNumber = (options: IntegerOptions = {}) => Type.Integer({ ...options, "x-ungrouped": true })

/** An instant in an answer. */
export const instant = (description: string) => Type.String({ format: "date-time", description })
/** An instant in an answer, or null. */
export const maybeInstant = (description: string) =>
  nullable(Type.String({ format: "date-time" }), { description })

/** A whole number in an answer, or null. */
export const maybeInteger = (description: string) => nullable(Type.Integer(), { description })

export const email = Type.String({
  minLength: 1,
  maxLength: 254,
  description: "An e-mail address. Whoever reads mail to it can sign in to the portal of the account.",
})

/** The start of the visible part of a key. A whole key does not fit: the value stands in an address, and addresses are logged. */
export const keyPrefix = Type.String({
  minLength: 3,
  maxLength: 9,
  pattern: "^pk-[0-9A-Za-z]*$",
  description: "What the key's text begins with: `pk-` and up to six characters, as lists show them.",
  "x-requirement": "must be `pk-` and up to six characters, as lists show them; never type a whole key here",
})

/** A day in an answer. */
export const maybeDay = (description: string) => nullable(Type.String({ format: "date" }), { description })

export const externalId = Type.String({
  minLength: 1,
  maxLength: 200,
  description: "Your own id of it, such as that of a customer in your billing system.",
})

/** A date, an instant, or a time from now. */
export const timeAheadFormat = "penknife-time-ahead"
defineFormat(timeAheadFormat, (text) => (parseDuration(text) ?? parseInstant(text)) !== null)

/** The rule for a time in the future, for the message that refuses any other text. */
export const timeAheadRequirement =
  "must be a date such as 2027-01-31, an instant such as 2027-01-31T12:00:00Z, or a time from now such as 30d (999999d at most)"

/** A time such as 24h. */
export const durationFormat = "penknife-duration"
defineFormat(durationFormat, (text) => parseDuration(text) !== null)

export const metadata = Type.Record(Type.String(), Type.Unknown(), {
  description: "Your own data: a JSON object of at most 4,096 bytes.",
  "x-requirement": "must be a JSON object of at most 4,096 bytes",
})

/** The parameters of lists that come page by page. */
export const cursorParameters = {
  limit: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 1_000, default: 100, description: "The most entries of a page." }),
  ),
  after: optionalText("Continues a list: the `next` of the page before.", { maxLength: 1_600 }),
}

/** The `format` parameter of lists that can be CSV. */
export const formatParameter = {
  format: Type.Optional(
    choice(["json", "csv"], {
      description: "`csv`: all entries of all pages as a table; `json`, the default: one page.",
    }),
  ),
}

/** The parameters of a list. */
export const pageParameters = { ...cursorParameters, ...formatParameter }

/** The parameter of lists that can say how many entries there are. */
export const totalParameter = {
  total: optionalFlag(
    "Whether to count the entries of all pages, up to 100,000; with some filters, until 100,000 entries were looked at.",
  ),
}

const totalFields = {
  total: Type.Optional(
    Type.Object(
      {
        count: Type.Integer({ description: "The entries of all pages." }),
        is_exact: Type.Boolean({
          description: "False when the count ended early, so that there may be more.",
        }),
      },
      { description: "How many entries there are, if the parameter `total` asks for it." },
    ),
  ),
}

/** The answer of a list that has {@link totalParameter}. */
export function countedListOf<T extends TSchema>(item: T) {
  return Type.Object({ ...listOf(item).properties, ...totalFields })
}

/** The answer of a list. */
export function listOf<T extends TSchema>(item: T) {
  return Type.Object({
    data: Type.Array(item, { description: "The entries." }),
    has_more: Type.Boolean({ description: "Whether there are more entries." }),
    next: nullableText("The `after` of the next page; null at the end."),
  })
}

/**
 * Reads a parameter that is a date or an instant, in milliseconds since the Unix epoch.
 * @throws AdminFault for any other text
 */
export function requireInstant(text: string, parameter: string): number {
  const ms = parseInstant(text)
  if (ms !== null) return ms
  throw invalid(
    parameter,
    `The '${parameter}' parameter must be a date such as 2027-01-31, or an instant such as 2027-01-31T12:00:00Z.`,
  )
}

/** The times of a list that begins with `from` and ends before `to`. */
export function requireRange({ from, to }: { readonly from?: string; readonly to?: string }) {
  const fromMs = from === undefined ? undefined : requireInstant(from, "from")
  const toMs = to === undefined ? undefined : requireInstant(to, "to")
  if (fromMs !== undefined && toMs !== undefined) requireOrder(fromMs, toMs)
  return { fromMs, toMs }
}

/** @throws AdminFault when a period begins after its end, both in milliseconds */
export function requireOrder(fromMs: number, toMs: number): void {
  if (fromMs <= toMs) return
  throw invalid("from", "The 'from' parameter must not be later than 'to'.")
}

/** The most bytes of metadata as JSON. */
const maxMetadataBytes = 4_096

/** Metadata as JSON, for the store. */
export function requireMetadata(metadata: Readonly<Record<string, unknown>>): string {
  const json = JSON.stringify(metadata)
  const bytes = Buffer.byteLength(json)
  if (bytes <= maxMetadataBytes && json.isWellFormed()) return json
  throw invalid(
    "metadata",
    `The 'metadata' parameter must be at most ${maxMetadataBytes} bytes of JSON; this is ${bytes}.`,
  )
}
