import { type TObject, type TSchema, Type } from "@sinclair/typebox"
import { type ApiDefinition, choice } from "../../apis/contract.ts"
import { maxInputs, requireInputs } from "../../call/batch.ts"
import type { Input } from "../../call/input.ts"
import type { PreparedApi } from "../../call/prepared-api.ts"
import { formats } from "../../encode/formats.ts"
import { once } from "../../values/once.ts"
import type { GivenQuery } from "./metered.ts"

/**
 * A schema in the hooks of a route: TypeBox for readers of the app, and a Standard Schema by which Elysia checks. Elysia would
 * clone and change a schema of TypeBox alone, convert numbers of a query, and write the whole input into the message of its
 * error.
 * @param read checks a value and returns the one that the handler gets. Throws the refusal, which `onError` answers
 */
export function checkedBy<Given, Read>(schema: TSchema, read: (given: Given) => Read): CheckedBy<Read> {
  const validate = (given: Given) => ({ value: read(given) })
  return { ...schema, "~standard": { version: 1, vendor: "penknife", validate } }
}

const anyObject = Type.Object({})

/**
 * The same for an object whose schema is made when it is first read: a start has many routes, and reads none of their schemas.
 */
function objectCheckedBy<Given, Read>(schemaOf: () => TObject, read: (given: Given) => Read) {
  const schema = once(schemaOf)
  return {
    ...checkedBy(anyObject, read),
    get properties() {
      return schema().properties
    },
    get required() {
      return schema().required
    },
  }
}

/** A Standard Schema whose handlers get `Read`. Elysia hands it whatever was read. */
export interface CheckedBy<Read> {
  readonly "~standard": {
    readonly version: number
    readonly vendor: string
    readonly types?: { readonly input: unknown; readonly output: Read }
    validate(given: unknown): { readonly value: Read }
  }
}

/** The query of a metered GET: the parameters that `read` checks, after `format`. */
export function querySchema(input: () => TObject, read: (given: GivenQuery) => Input) {
  return objectCheckedBy(
    () => Type.Object({ ...input().properties, format }),
    (given: GivenQuery) => {
      if (given.problem) throw given.problem
      return read(given)
    },
  )
}

/** The JSON body of a single call. */
export function bodySchema({ definition, readInput }: PreparedApi) {
  return objectCheckedBy(
    () => definition.input,
    (values: Readonly<Record<string, unknown>>) => readInput({ kind: "typed", values }),
  )
}

/** The JSON body of a batch. Each input is checked when it runs, and its refusal is its result. */
export function batchBodySchema(definition: ApiDefinition) {
  const inputs = () => Type.Array(definition.input, { minItems: 1, maxItems: maxInputs })
  return objectCheckedBy(() => Type.Object({ inputs: inputs() }), requireInputs)
}

/** The answer of a batch before it is encoded. */
export function batchAnswerSchema(definition: ApiDefinition) {
  return uncheckedAnswer(() => {
    const count = Type.Integer({ minimum: 0 })
    const result = Type.Object({
      index: count,
      status: choice(["ok", "error"], { description: "Whether the input succeeded." }),
      error: Type.Union([Type.String(), Type.Null()]),
      data: Type.Union([definition.output, Type.Null()]),
    })
    return Type.Object({
      ...{ count, succeeded: count, failed: count, credits_used: count },
      results: Type.Array(result),
    })
  })
}

/** Describes the answer of a metered route before it is encoded. Nothing checks it: it is charged already (decision 14). */
export function uncheckedAnswer(data: () => TObject) {
  const envelope = () => Type.Object({ status: Type.Literal("ok"), error: Type.Null(), data: data() })
  return { 200: objectCheckedBy(envelope, (answer: unknown) => answer) }
}

const format = Type.Optional(choice(formats, { description: "The format of the answer." }))
