import { KindGuard, type Static, type TObject, type TProperties, type TSchema } from "@sinclair/typebox"
import { toIso } from "../values/time-text.ts"
import { isOperatorOnly, isSecret, textForCustomers } from "./operation.ts"

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

/** A value of a schema, in which fields that are shown only once are null. */
export function withoutSecrets(schema: TSchema, value: unknown): unknown {
  return isSecret(schema) ? null : inside(schema, value, withoutSecrets)
}

/** An answer of an operation without the fields and texts that are for operators alone. */
export function forCustomers(schema: TSchema, value: unknown): unknown {
  const text = textForCustomers(schema)
  if (text !== undefined) return value === null ? null : text
  const hidden = new Set(
    KindGuard.IsObject(schema)
      ? Object.entries(schema.properties).flatMap(([name, field]) => (isOperatorOnly(field) ? [name] : []))
      : [],
  )
  const seen = inside(schema, value, forCustomers)
  if (hidden.size === 0 || typeof seen !== "object" || seen === null) return seen
  return Object.fromEntries(Object.entries(seen).filter(([name]) => !hidden.has(name)))
}

/** Changes the parts of a value by their schemas. */
function inside(schema: TSchema, value: unknown, change: (schema: TSchema, part: unknown) => unknown) {
  if (typeof value !== "object" || value === null) return value
  if (Array.isArray(value))
    return KindGuard.IsArray(schema) ? value.map((item) => change(schema.items, item)) : value
  if (!KindGuard.IsObject(schema)) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, part]) => {
      const property = schema.properties[name]
      return [name, property ? change(property, part) : part]
    }),
  )
}
