import {
  type IntegerOptions,
  type NumberOptions,
  type StringOptions,
  type TProperties,
  type TSchema,
  Type,
} from "@sinclair/typebox"
import { choice, type Example, nullable } from "./contract.ts"

const text = (description: string, options: StringOptions = {}) => Type.String({ ...options, description })
const flag = (description: string, options: { readonly default?: boolean } = {}) =>
  Type.Boolean({ ...options, description })
const integer = (description: string, options: IntegerOptions = {}) =>
  Type.Integer({ ...options, description })
const number = (description: string, options: NumberOptions = {}) => Type.Number({ ...options, description })

type Choices = readonly [string, ...string[]]

function asOptional<Args extends unknown[], Schema extends TSchema>(toSchema: (...args: Args) => Schema) {
  return (...args: Args) => Type.Optional(toSchema(...args))
}

/** Schemas of parameters and fields: the description, and what else there is to say. */
export const field = {
  ...{ text, flag, integer, number },
  texts: (description: string) => Type.Array(Type.String(), { description }),
  /** An object with these fields. */
  group: <P extends TProperties>(description: string, fields: P) => Type.Object(fields, { description }),
  /** A list of objects with these fields. */
  rows: <P extends TProperties>(description: string, fields: P) =>
    Type.Array(Type.Object(fields), { description }),
  /** Whether an input is valid, and what was found in it. */
  verdict: <Problems extends TSchema>(problems: Problems) => ({
    is_valid: flag("Whether no problem is an error."),
    problems,
  }),
  nullableTexts: (description: string) => nullable(Type.Array(Type.String()), { description }),
  nullableFlag: (description: string) => nullable(Type.Boolean(), { description }),
  nullableInteger: (description: string) => nullable(Type.Integer(), { description }),
  nullableGroup: <P extends TProperties>(description: string, fields: P) =>
    nullable(Type.Object(fields), { description }),
  /** The same, but may be left out. */
  optional: {
    text: asOptional(text),
    flag: asOptional(flag),
    integer: asOptional(integer),
    number: asOptional(number),
    /** @param usual the value by default */
    choice: <const V extends Choices>(description: string, values: V, usual: NoInfer<V[number]>) =>
      Type.Optional(choice(values, { default: usual, description })),
  },
}

/** A file `examples.json` next to an API. Readers find in `about` which examples it has, and where their data is from. */
interface StoredExamples {
  readonly about?: string
  /** The world of all examples but those that have one of their own, or null for none. */
  readonly given?: object
  readonly examples: readonly StoredExample[]
}

interface StoredExample extends Omit<Example, "given" | "output"> {
  readonly given?: object | null
  /** The standard that gives the answer, which is then written here by hand. */
  readonly source?: string
  readonly output?: object
}

/**
 * The examples of an API. `bun run generate` computes their answers into `answers.json`, by the names of the examples.
 * test/catalog.test.ts runs every example and compares the whole answer.
 */
export function storedExamples(
  { given, examples }: StoredExamples,
  answers: Readonly<Record<string, object>>,
): readonly Example<never, never>[] {
  return examples.map(({ given: own = given, input, output, source, ...rest }) => ({
    ...rest,
    // A new example has no answer until it is computed. No text of the file has the type of a certain API.
    ...{ input: input as never, output: ((source && output) ?? answers[rest.name] ?? {}) as never },
    ...(own ? { given: own as NonNullable<Example["given"]> } : {}),
  }))
}
