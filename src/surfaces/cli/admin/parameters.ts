import type { TSchema } from "@sinclair/typebox"
import { Argument, InvalidArgumentError, Option } from "commander"
import { type Clock, choicesOf } from "../../../apis/contract.ts"
import { isObject, parseJson } from "../../../values/is-object.ts"
import { toInstantMs, wholeNumber } from "../values.ts"

/** The value of an option that removes something. Commander turns null into an empty text. */
export const nothing = Symbol("nothing")

/**
 * The options of a parameter: one, or for a condition `--x` and `--no-x`.
 * @param clock for times such as `30d` from now
 */
export function toOptions(name: string, schema: TSchema, clock: Pick<Clock, "now">, isMandatory = false) {
  const flag = flagOf(name, schema)
  const plain = toHelp(schema)
  if (schema.type === "boolean") {
    const on = new Option(`--${flag}`, plain.replace(/^whether (only )?to |, or only [^.]*/gi, "$1"))
    // Without a default there are three values: true, false, and not given.
    const both = schema.default === undefined ? [on, new Option(`--no-${flag}`, "the opposite")] : [on]
    for (const option of both) option.attributeName = () => name
    return both
  }
  const value = valueSchema(schema)
  const isList = value.type === "array"
  const item = isList ? value.items : value
  const read = readerOf(item, clock)
  const mayBeEmpty = isList && !(value.minItems > 0)
  const canClear = mayBeEmpty || value !== schema
  const help = plain.replace(/\b[Nn]ull\b/, "''")
  const hasEmpty = !canClear || help.includes("''")
  const notes = [isList ? "repeatable" : null, hasEmpty ? null : "'' for none"].filter(
    (note) => note !== null,
  )
  const option = new Option(
    `--${flag} <${placeholder(name, schema)}>`,
    notes.length > 0 ? [help.replace(/\.$/, ""), ...notes].join("; ") : help,
  )
  option.attributeName = () => name
  const choices = choicesOf(item)
  if (choices) option.argChoices = [...choices]
  if (schema.default !== undefined) option.description += ` (default: ${schema.default})`
  option.argParser((text: string, before: unknown) => {
    if (text === "" && canClear) return mayBeEmpty && value === schema ? [] : nothing
    const one = read(text)
    return isList ? [...(Array.isArray(before) ? before : []), one] : one
  })
  return [option.makeOptionMandatory(isMandatory)]
}

/** The argument of a parameter. */
export function toArgument(name: string, schema: TSchema, isRequired: boolean, clock: Pick<Clock, "now">) {
  const label = labelOf(name, schema)
  // An object that is written as arguments `NAME=VALUE`.
  if (schema["x-pairs"] !== undefined) {
    const help = `${toHelp(schema)} ('' for null)`
    return new Argument(isRequired ? `<${label}...>` : `[${label}...]`, help).argParser(collectPair)
  }
  const argument = new Argument(isRequired ? `<${label}>` : `[${label}]`, toHelp(schema))
  const choices = choicesOf(schema)
  return choices ? argument.choices(choices) : argument.argParser(readerOf(valueSchema(schema), clock))
}

/** The name of a parameter in messages: its option, or its argument as in the usage line. */
export function nameOnCommandLine(name: string, schema: TSchema, args: readonly string[]): string {
  return args.includes(name) ? labelOf(name, schema) : `--${flagOf(name, schema)}`
}

function flagOf(name: string, schema: TSchema): string {
  const own: unknown = schema["x-flag"]
  if (typeof own === "string") return own
  const singular = valueSchema(schema).type === "array" ? name.replace(/s$/, "") : name
  return singular.replaceAll("_", "-")
}

function labelOf(name: string, schema: TSchema): string {
  const own: unknown = schema["x-pairs"]
  return typeof own === "string" ? own : name.toUpperCase().replaceAll("_", "-")
}

function collectPair(text: string, before: unknown): Readonly<Record<string, unknown>> {
  const [, name, value] = /^([^=]+)=(.*)$/s.exec(text) ?? []
  if (name === undefined || value === undefined)
    throw new InvalidArgumentError("Write NAME=VALUE, such as credits.hmac=3.")
  return { ...(typeof before === "object" ? before : {}), [name]: toValue(value) }
}

/** Numbers, true and false, lists as JSON, nothing for null; else text. */
function toValue(text: string): unknown {
  if (text === "") return null
  if (text === "true" || text === "false" || /^-?\d+(?:\.\d+)?$/.test(text)) return JSON.parse(text)
  if (!text.startsWith("[")) return text
  const list = parseJson(text)
  if (list !== undefined) return list
  throw new InvalidArgumentError(`Write a list as JSON, such as '["10.0.0.0/8","192.0.2.1"]'.`)
}

function placeholder(name: string, schema: TSchema): string {
  const value = valueSchema(schema)
  const { type, format } = value
  if (type === "object") return "JSON"
  if (type === "integer" || type === "number") return "NUMBER"
  if (format === "date-time") return "WHEN"
  const words = flagOf(name, schema).split("-")
  return (words.at(-1) ?? name).toUpperCase()
}

/** The schema of the value when it is not null. */
function valueSchema(schema: TSchema): TSchema {
  const members: readonly TSchema[] = Array.isArray(schema.anyOf) ? schema.anyOf : []
  const [first, ...others] = members.filter(({ type }) => type !== "null")
  return first && others.length === 0 ? first : schema
}

/** A help text begins with a small letter and has no full stop, unless it has several sentences. */
function toHelp({ description = "" }: TSchema): string {
  const text = description.replaceAll("`", "'")
  if (/[.?!] [A-Z]/.test(text)) return text
  return text.replace(/\.$/, "").replace(/^[A-Z](?=[a-z ])/, (letter) => letter.toLowerCase())
}

type Reader = (text: string) => unknown

/** Reads values that a shell can only pass as text. Everything else is checked with the whole input. */
function readerOf(schema: TSchema, clock: Pick<Clock, "now">): Reader {
  const { type, format, minimum, maximum } = schema
  if (type === "integer") return wholeNumber(minimum ?? 0, maximum ?? Number.MAX_SAFE_INTEGER)
  const choices = choicesOf(schema)
  if (choices) return oneOf(choices)
  if (type === "object") return toJsonObject
  if (format === "date-time") return (text) => new Date(toInstantMs(text, clock.now())).toISOString()
  return (text) => text
}

function oneOf(choices: readonly string[]): Reader {
  return (text) => {
    if (choices.includes(text)) return text
    throw new InvalidArgumentError(`Allowed choices are ${choices.join(", ")}.`)
  }
}

function toJsonObject(text: string): unknown {
  const value = parseJson(text)
  if (isObject(value)) return value
  throw new InvalidArgumentError(`Write a JSON object such as '{"team": "blue"}'.`)
}
