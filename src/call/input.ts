import type { TObject, TSchema } from "@sinclair/typebox"
import { type TypeCheck, TypeCompiler } from "@sinclair/typebox/compiler"
import { reject } from "../apis/contract.ts"
import { isJsonValue, mistakeOfJson } from "../values/json-value.ts"
import { toNumber } from "../values/number-text.ts"
import { once } from "../values/once.ts"
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

interface Parameter {
  readonly name: string
  readonly schema: TSchema
  readonly isList: boolean
  readonly isJson: boolean
  /** The value of a text. */
  readonly coerce: (text: string) => unknown
  readonly check: () => TypeCheck<TSchema>
  readonly required: boolean
  /** The words after "The 'x' parameter …". */
  readonly requirement: () => string
}

/** Makes the reader of one API's input, once. A parameter's check is compiled when it is first given. */
export function compileInput(input: TObject): ReadInput {
  const required = new Set(input.required)
  const parameters = Object.entries(input.properties).map(
    ([name, schema]): Parameter => ({
      name,
      schema,
      isList: schema.type === "array",
      isJson: isJsonValue(schema),
      coerce: toCoercion(schema),
      check: once(() => TypeCompiler.Compile(schema)),
      required: required.has(name),
      requirement: once(() => toRequirement(schema)),
    }),
  )

  return (raw) => {
    const result: Input = {}
    for (const parameter of parameters) {
      const value =
        raw.kind === "text" ? fromText(parameter, raw.parameters) : fromTyped(parameter, raw.values)
      if (value !== undefined) result[parameter.name] = value
    }
    return result
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
  if (first === null) return absent(parameter)
  if (parameter.isList)
    return checked(
      parameter,
      given.filter(({ name }) => name === parameter.name).map(({ text }) => text),
    )
  if (count > 1) reject(parameter.name, `must be given once, not ${count} times`)
  return checked(parameter, parameter.isJson ? toJson(parameter, first) : parameter.coerce(first))
}

function fromTyped(parameter: Parameter, values: Readonly<Record<string, unknown>>): unknown {
  const value = Object.hasOwn(values, parameter.name) ? values[parameter.name] : undefined
  // Null means no value, except for JSON values and some parameters of the administration.
  const isNone = value === null && !parameter.required && !parameter.check().Check(null)
  if (value === undefined || isNone) return absent(parameter)
  return checked(parameter, value)
}

function absent({ name, schema, required, requirement }: Parameter): unknown {
  if (required) reject(name, `is required and ${requirement()}`)
  return schema.default
}

function toJson({ name, requirement }: Parameter, text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    reject(name, `${requirement()}, written as JSON text such as {"a": 1} or "text"`)
  }
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
