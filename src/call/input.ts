import type { TObject, TSchema } from "@sinclair/typebox"
import { type TypeCheck, TypeCompiler } from "@sinclair/typebox/compiler"
import { type ApiDefinition, reject } from "../apis/contract.ts"
import { parseJson } from "../values/is-object.ts"
import { isJsonValue, mistakeOfJson } from "../values/json-value.ts"
import { meantBy } from "../values/nearest.ts"
import { once } from "../values/once.ts"
import { toNumber } from "../values/text.ts"
import { toRequirement } from "./requirement.ts"

/** Parameters before the check: text (query, command line) or typed values (JSON). */
export type RawInput =
  | TextInput
  | { readonly kind: "typed"; readonly values: Readonly<Record<string, unknown>> }

/** Parameters as text, such as those of a query string or a command line. */
export interface TextInput {
  readonly kind: "text"
  /** In the order given; a name may come more than once. */
  readonly parameters: readonly TextParameter[]
}

/** One parameter as text. */
export interface TextParameter {
  readonly name: string
  /** Null when it could not be decoded. */
  readonly text: string | null
}

/** The checked parameters of a call, by name. */
export type Input = Record<string, unknown>

/**
 * Turns raw parameters into the input of `run`: typed, checked, with defaults, without unknown ones. An optional parameter that
 * is null counts as left out.
 * @throws InputRejected naming the first wrong parameter in schema order
 */
export type ReadInput = (raw: RawInput) => Input

/**
 * Makes the reader of one API's input, once. A parameter's check is compiled when it is first given.
 * @param api strips blanks around each parameter, but not around texts of a POST. Without it, all blanks stay
 */
export function compileInput(
  input: TObject,
  api?: Pick<ApiDefinition, "method" | "singleValues">,
): ReadInput {
  const parameters = Object.entries(input.properties).map(([name, schema]) => {
    const isOwnText = api?.method === "POST" && isText(schema) && !api.singleValues?.includes(name)
    return toParameter(name, schema, input.required?.includes(name) === true, !api || isOwnText)
  })

  return (raw) => {
    const result: Input = {}
    for (const parameter of parameters) {
      const value =
        raw.kind === "text" ? fromText(parameter, raw.parameters) : fromTyped(parameter, raw.values)
      if (value !== undefined) result[parameter.name] = value
      else if (parameter.required)
        reject(
          parameter.name,
          `is required and ${parameter.requirement()}${unknownNames(parameter, raw, input)}`,
        )
    }
    return result
  }
}

type Parameter = ReturnType<typeof toParameter>

/** @param isKept whether blanks at the beginning and end of a text belong to it */
function toParameter(name: string, schema: TSchema, required: boolean, isKept: boolean) {
  const isJson = isJsonValue(schema)
  return {
    ...{ name, schema, required, isJson, isList: schema.type === "array", keepsBlanks: isKept || isJson },
    /** The value of a text. */
    coerce: toCoercion(schema),
    check: once(() => TypeCompiler.Compile(schema)),
    /** The words after "The 'x' parameter …". */
    requirement: once(() => toRequirement(schema)),
  }
}

function fromText(parameter: Parameter, given: readonly TextParameter[]): unknown {
  let first: string | null = null
  let count = 0
  for (const { name, text } of given) {
    if (name !== parameter.name) continue
    if (text === null) reject(name, "must be percent-encoded UTF-8")
    first ??= text
    count++
  }
  if (first === null) return parameter.schema.default
  if (parameter.isList) {
    const texts = given.filter(({ name }) => name === parameter.name).map(({ text }) => text)
    return checked(parameter, stripped(parameter, texts))
  }
  if (count > 1) reject(parameter.name, `must be given once, not ${count} times`)
  return checked(
    parameter,
    parameter.isJson ? toJson(parameter, first) : parameter.coerce(stripped(parameter, first)),
  )
}

function fromTyped(parameter: Parameter, values: Readonly<Record<string, unknown>>): unknown {
  const value = Object.hasOwn(values, parameter.name) ? values[parameter.name] : undefined
  // Null means no value, except for JSON values and some parameters of the administration.
  const isNone = value === null && !parameter.required && !parameter.check().Check(null)
  if (value === undefined || isNone) return parameter.schema.default
  return checked(parameter, stripped(parameter, value))
}

/** Names that can hardly be a secret in the place of a name. */
const shownName = /^(?=.{1,24}$)[a-z][a-z_-]*\d{0,2}$/i
const maxShownNames = 3

/** Tells which of the sent parameters do not exist, and what was probably meant. It shows no value. */
function unknownNames({ name: missing }: Parameter, raw: RawInput, { properties }: TObject): string {
  // `format` chooses the format of the answer.
  const isUnknown = (name: string) =>
    !Object.hasOwn(properties, name) && name !== "format" && shownName.test(name)
  const sent = new Set(raw.kind === "text" ? raw.parameters.map(({ name }) => name) : Object.keys(raw.values))
  const absent = Object.keys(properties).filter((name) => !sent.has(name))
  const shown = [...sent].filter(isUnknown).slice(0, maxShownNames)
  const open = new Set(absent)
  const hints = shown.map((name) => {
    const lower = name.toLowerCase()
    // `longitude` is nearer to `lon` than its edits tell.
    const longer = [...open].find((known) => known.length > 2 && lower.startsWith(known))
    const meant = longer ?? meantBy(lower, [...open]) ?? (open.has(missing) ? missing : null)
    if (meant === null) return `there is no parameter '${name}'.`
    // One parameter can be meant by one name alone.
    open.delete(meant)
    return `there is no parameter '${name}': did you mean '${meant}'?`
  })
  return hints.length === 0 ? "" : ` (${hints.join(" ")})`
}

function toJson({ name, requirement }: Parameter, text: string): unknown {
  const value = parseJson(text)
  if (value !== undefined) return value
  reject(name, `${requirement()}, written as JSON text such as {"a": 1} or "text"`)
}

function isText({ type, items }: TSchema): boolean {
  return type === "string" || (type === "array" && items?.type === "string")
}

function stripped<T>({ keepsBlanks }: Parameter, value: T): T
function stripped({ keepsBlanks }: Parameter, value: unknown): unknown {
  if (keepsBlanks) return value
  if (typeof value === "string") return value.trim()
  return Array.isArray(value) ? value.map((item) => (typeof item === "string" ? item.trim() : item)) : value
}

function checked({ name, isJson, check, requirement }: Parameter, value: unknown): unknown {
  const mistake = isJson ? mistakeOfJson(value) : null
  if (mistake !== null) reject(name, mistake)
  const compiled = check()
  if (!compiled.Check(value)) reject(name, `${requirement()}${place(compiled, value)}`)
  if (!isJson && !isUnicode(value)) reject(name, "must be well-formed Unicode text, without lone surrogates")
  // JSON and text can both say -0, which no answer should echo.
  return value === 0 ? 0 : value
}

/** Names the wrong item of a list. */
function place(check: TypeCheck<TSchema>, value: unknown): string {
  if (!Array.isArray(value)) return ""
  const index = /^\/(\d+)/.exec(check.Errors(value).First()?.path ?? "")?.[1]
  return index === undefined ? "" : `; item ${index} (counted from 0) is not`
}

function isUnicode(value: unknown): boolean {
  if (typeof value === "string") return value.isWellFormed()
  return Array.isArray(value) ? value.every(isUnicode) : true
}

/** Text that is not exactly a number or a boolean stays text and fails the check. */
function toCoercion({ type }: TSchema): (text: string) => unknown {
  if (type === "number" || type === "integer") return toNumber
  if (type === "boolean") return (text) => (text === "true" ? true : text === "false" ? false : text)
  return (text) => text
}
