import type { TObject, TSchema } from "@sinclair/typebox"
import { type TypeCheck, TypeCompiler } from "@sinclair/typebox/compiler"
import { isPremium, reject } from "../apis/contract.ts"
import { isBoolean, isNumber, toRequirement } from "./requirement.ts"

/** Parameters before the check: as text that has to say what it means (query, command line), or typed (JSON). */
export type RawInput =
  | TextInput
  | { readonly kind: "typed"; readonly values: Readonly<Record<string, unknown>> }

export interface TextInput {
  readonly kind: "text"
  /** In the order given; each name as often as it was. */
  readonly parameters: readonly TextParameter[]
}

export interface TextParameter {
  readonly name: string
  /** Null where it could not be read. */
  readonly text: string | null
}

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
  readonly isList: boolean
  /** What one text stands for. */
  readonly coerce: (text: string) => unknown
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
      isList: schema.type === "array",
      coerce: toCoercion(schema),
      check: TypeCompiler.Compile(schema),
      required: required.has(name),
      premium: isPremium(schema),
      requirement: toRequirement(schema),
    }),
  )

  return (raw, premium) => {
    const result: Input = {}
    for (const parameter of parameters) {
      const value =
        raw.kind === "text" ? fromText(parameter, raw.parameters) : fromTyped(parameter, raw.values)
      const effective = value !== undefined && (premium || !parameter.premium)
      if (effective) result[parameter.name] = value
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
  if (parameter.isList) return checked(parameter, textsOf(parameter.name, given))
  if (count > 1) reject(parameter.name, `must be given once, not ${count} times`)
  return checked(parameter, parameter.coerce(first))
}

/** All that was given under a name and could be read, in order. */
function textsOf(name: string, given: readonly TextParameter[]): string[] {
  const texts: string[] = []
  for (const one of given) if (one.name === name && one.text !== null) texts.push(one.text)
  return texts
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
function toCoercion(schema: TSchema): (text: string) => unknown {
  if (isNumber(schema)) return (text) => (numberText.test(text) ? Number(text) : text)
  if (isBoolean(schema)) return (text) => (text === "true" ? true : text === "false" ? false : text)
  return (text) => text
}
