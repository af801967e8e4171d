import type { Static, TObject, TProperties } from "@sinclair/typebox"
import { toIso } from "../values/time-text.ts"

/** `allowApis` of `allow_apis`. */
type Camel<Name extends string> = Name extends `${infer First}_${infer Rest}`
  ? `${First}${Capitalize<Camel<Rest>>}`
  : Name

/** The fields of an answer that a row does not have. */
type Missing<Answer, Row> = {
  [Name in keyof Answer as Camel<Name & string> extends infer Field extends string
    ? Field | `${Field}Ms` | `${Field}Id` extends infer Fields
      ? Extract<Fields, keyof Row> extends never
        ? Name
        : never
      : never
    : never]: Answer[Name]
}

/**
 * Makes the function that turns rows of the store into answers of a schema. `rate_limit` is the row's `rateLimit`; `created` is
 * its `createdMs` as an instant; `account` is its `accountId`.
 * @returns a function of a row, and of the fields that the row does not have, or has otherwise
 */
export function showBy<Fields extends TProperties>({ properties }: TObject<Fields>) {
  type Answer = Static<TObject<Fields>>
  const fields = Object.keys(properties).map((name) => {
    return [name, name.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase())] as const
  })
  return <Row extends object>(
    row: Row,
    ...[others = {}]: object extends Missing<Answer, Row>
      ? [others?: Partial<Answer>]
      : [others: Missing<Answer, Row> & Partial<Answer>]
  ): Answer => {
    const values: Readonly<Record<string, unknown>> = { ...row, ...others }
    const shown = fields.flatMap(([name, field]) => {
      if (name in others) return [[name, values[name]]]
      if (field in row) return [[name, values[field]]]
      if (`${field}Ms` in row) return [[name, toIso(values[`${field}Ms`] as number | null)]]
      return `${field}Id` in row ? [[name, values[`${field}Id`]]] : []
    })
    return Object.fromEntries(shown)
  }
}
