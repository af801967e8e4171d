import fc from "fast-check"
import { anyCharacter } from "../support/any-character.ts"
import type { Schema } from "./operations.ts"

/** Texts that have broken programs: of parsers, encoders, shells, spreadsheets, numbers, Unicode and of the APIs here. */
const trouble = [
  ..."\u0000 \ud800 \udfff\ud800 \ufeff \uffff a\u0301\u0301\u0301 \u202eevil 👩‍👩‍👧‍👦 ß İ".split(" "),
  ..."__proto__ constructor toString null true no ~ ' ]]> &lt; %00 % $(id) ../../etc/passwd".split(" "),
  ..."NaN -0 1e999 -1e999 0x10 ١٢ 9007199254740993 99999999999999999999999999 0.1e-400 0xFFFF 0x0 65536".split(
    " ",
  ),
  ..."2025-01-01 02-30-2025 12-31-2500 02-29-1900 user@good.example @ _443._tcp.example.com".split(" "),
  ..."good loop toomany macro servfail nowhere bücher".split(" ").map((name) => `${name}.example`),
  ..."GOOD.example. xn-- .. -.- 192.0.2.1 ::ffff:192.0.2.1 ::1%eth0 2001:db8:: 999.1.1.1".split(" "),
  ...["", " ", "\r\nx-injected: 1", "- a: &a *a", "=cmd|' /C calc'!A0", '"', "' OR 1=1 --"],
  "<!ENTITY x SYSTEM 'file:///etc/passwd'>",
  `${"a".repeat(64)}.example`,
  `${"a.".repeat(127)}example`,
  "_443._tcp.example.com. 3600 IN TLSA 3 1 1 (\n",
  "_443._tcp.example.com. 3600 IN TLSA 3 1 1 00",
  "_99999._tcp.example.com. 99999999999 IN TLSA 999 -1 1e3 zz",
  "_443._tcp.\\000\\255. TLSA 3 1 1 00 ; comment",
]

const text = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...trouble) },
  { weight: 2, arbitrary: fc.string({ maxLength: 12 }) },
  { weight: 2, arbitrary: fc.string({ unit: anyCharacter, maxLength: 12 }) },
  {
    weight: 1,
    arbitrary: fc
      .tuple(fc.constantFrom("a", "[", "é", ".a", "\u0000"), fc.integer({ min: 0, max: 3_000 }))
      .map(([part, times]) => part.repeat(times)),
  },
)

const number = fc.oneof(
  fc.constantFrom(0, -0, 1, -1, 1.5, 0.1, 5e-324, 1e308, -1e308, 2 ** 31, 2 ** 53, 2 ** 64, 1e21),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.integer(),
)

/** Any JSON value, mostly small, sometimes awkward. */
export const anyValue: fc.Arbitrary<unknown> = fc.oneof(
  { weight: 3, arbitrary: text },
  { weight: 2, arbitrary: number },
  { weight: 2, arbitrary: fc.constantFrom(null, true, false, [], {}, [[]], [null], { __proto__: null }) },
  { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 3 }) },
)

/** Values that a schema allows or almost allows. It ignores limits that only a description or a `format` gives. */
export function valueFor(schema: Schema, samples: readonly unknown[]): fc.Arbitrary<unknown> {
  const own = fromSchema(schema)
  return samples.length === 0
    ? own
    : fc.oneof({ weight: 3, arbitrary: fc.constantFrom(...samples) }, { weight: 2, arbitrary: own })
}

function fromSchema(schema: Schema): fc.Arbitrary<unknown> {
  if (schema.enum) return fc.constantFrom(...schema.enum)
  const type = Array.isArray(schema.type) ? schema.type[0] : schema.type
  if (type === "object") return objectOf(schema, [])
  if (type === "array") return fc.array(fromSchema(schema.items ?? {}), { maxLength: 6 })
  if (type === "boolean") return fc.boolean()
  if (type === "number" || type === "integer") return numberOf(schema, type === "integer")
  if (type === "string") return text
  return anyValue
}

function numberOf({ minimum = -1e15, maximum = 1e15 }: Schema, whole: boolean): fc.Arbitrary<number> {
  const edges = fc.constantFrom(minimum, maximum, minimum - 1, maximum + 1)
  // Mostly near the minimum, since a loan over fifty years makes a long answer.
  const near = fc.integer({ min: Math.ceil(minimum), max: Math.ceil(minimum) + 2 })
  const all = whole
    ? fc.integer({ min: Math.ceil(minimum), max: Math.floor(maximum) })
    : fc.double({ min: minimum, max: maximum, noNaN: true })
  return fc.oneof(
    { weight: whole ? 12 : 2, arbitrary: near },
    { weight: whole ? 1 : 8, arbitrary: all },
    { weight: 1, arbitrary: edges },
  )
}

/**
 * An object of a schema: whole samples, and objects with members from samples or the schema, missing members, members of any
 * value and unknown members.
 */
export function objectOf(
  { properties = {} }: Schema,
  samples: readonly unknown[],
): fc.Arbitrary<Record<string, unknown>> {
  const names = Object.keys(properties)
  const known = samples as readonly Record<string, unknown>[]
  const members = names.map((name) =>
    valueFor(
      properties[name] ?? {},
      known.flatMap((sample) => (name in sample ? [sample[name]] : [])),
    ),
  )
  const composed = fc
    .tuple(
      fc.tuple(...members),
      fc.array(fc.nat(30), { minLength: names.length, maxLength: names.length }),
      anyValue,
    )
    .map(([values, fates, other]) => {
      const object: Record<string, unknown> = {}
      names.forEach((name, index) => {
        const fate = fates[index] ?? 0
        if (fate === 0) object[name] = other
        else if (fate === 1) object[`${name} `] = other
        else if (fate === 2) object[name.toUpperCase()] = values[index]
        else if (fate !== 3) object[name] = values[index]
      })
      return object
    })
  if (known.length === 0) return composed
  return fc.oneof({ weight: 2, arbitrary: fc.constantFrom(...known) }, { weight: 5, arbitrary: composed })
}
