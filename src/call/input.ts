import type { TObject, TSchema } from "@sinclair/typebox"
import { type TypeCheck, TypeCompiler } from "@sinclair/typebox/compiler"
import { isPremium, reject } from "../apis/contract.ts"
import { isBoolean, isNumber, toRequirement } from "./requirement.ts"

/** Parameters before the check: as text that has to say what it means (query, command line), or typed (JSON). */
export type RawInput =
  | {
      readonly kind: "text"
      readonly values: ReadonlyMap<string, readonly string[]>
      /** Names of those whose text could not be read. */
      readonly malformed?: ReadonlySet<string>
    }
  | { readonly kind: "typed"; readonly values: Readonly<Record<string, unknown>> }

export type Input = Record<string, unknown>

/**
 * Turns raw parameters into the input of `run`: typed, checked, defaults filled, unknown ones left out. Where the plan
 * has no premium, premium parameters are checked and then dropped.
 * @throws InputRejected naming the first parameter, in schema order, that has to change
 */
export type ReadInput = (raw: RawInput, premium: boolean) => Input

interface Parameter {
  readonly name: string
  readonly schema: TSchema
  readonly check: TypeCheck<TSchema>
  readonly required: boolean
  readonly premium: boolean
  /** The words after "The 'x' parameter …". */
  readonly requirement: string
}

/** Compiles the reader of one API's input, once, at start. */
export function compileInput(input: TObject): ReadInput {
  const required = new Set(input.required)
  const parameters = Object.entries(input.properties).map(
    ([name, schema]): Parameter => ({
      name,
      schema,
      check: TypeCompiler.Compile(schema),
      required: required.has(name),
      premium: isPremium(schema),
      requirement: toRequirement(schema),
    }),
  )

  return (raw, premium) => {
    const result: Input = {}
    for (const parameter of parameters) {
      const value = raw.kind === "text" ? fromText(parameter, raw) : fromTyped(parameter, raw.values)
      const effective = value !== undefined && (premium || !parameter.premium)
      if (effective) result[parameter.name] = value
    }
    return result
  }
}

function fromText(parameter: Parameter, { values, malformed }: RawInput & { kind: "text" }): unknown {
  if (malformed?.has(parameter.name)) reject(parameter.name, "must be percent-encoded UTF-8")
  const texts = values.get(parameter.name)
  if (texts === undefined) return absent(parameter)
  if (parameter.schema.type === "array") return checked(parameter, texts)
  const [text] = texts
  if (text === undefined || texts.length > 1) {
    reject(parameter.name, `must be given once, not ${texts.length} times`)
  }
  return checked(parameter, coerce(parameter.schema, text))
}

function fromTyped(parameter: Parameter, values: Readonly<Record<string, unknown>>): unknown {
  const value = Object.hasOwn(values, parameter.name) ? values[parameter.name] : undefined
  return value === undefined ? absent(parameter) : checked(parameter, value)
}

function absent({ name, schema, required, requirement }: Parameter): unknown {
  if (required) reject(name, `is required and ${requirement}`)
  return schema.default
}

function checked({ name, check, requirement }: Parameter, value: unknown): unknown {
  if (!check.Check(value)) reject(name, `${requirement}${place(check, value)}`)
  if (!isUnicode(value)) reject(name, "must be well-formed Unicode text, without lone surrogates")
  // JSON and text can both say -0, which no answer should echo.
  return value === 0 ? 0 : value
}

/** Where in a list the trouble is, since "an array of strings" does not help with ten thousand of them. */
function place(check: TypeCheck<TSchema>, value: unknown): string {
  if (!Array.isArray(value)) return ""
  const index = /^\/(\d+)/.exec(check.Errors(value).First()?.path ?? "")?.[1]
  return index === undefined ? "" : `; item ${index} (counted from 0) is not`
}

function isUnicode(value: unknown): boolean {
  if (typeof value === "string") return value.isWellFormed()
  return Array.isArray(value) ? value.every(isUnicode) : true
}

const numberText = /^-?\d+(\.\d+)?([eE][+-]?\d+)?$/

/** Text becomes a number or a boolean only when it says exactly that; anything else stays text and fails the check. */
function coerce(schema: TSchema, text: string): unknown {
  if (isNumber(schema)) return numberText.test(text) ? Number(text) : text
  if (isBoolean(schema)) return text === "true" ? true : text === "false" ? false : text
  return text
}
