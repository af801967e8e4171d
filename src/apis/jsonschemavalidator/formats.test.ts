/** Formats are asserted where the meta-schema or the caller asks for it. */
import { expect, spyOn, test } from "bun:test"
import { isIdnEmail } from "@hyperjump/json-schema-formats"
import fc from "fast-check"
import { check, formatsMeta, metaSchema, withFormats } from "../../../test/support/json-schemas.ts"
import { runIsolated } from "../../../test/support/run-isolated.ts"
import { run } from "./run.ts"

test("formats are checked where the meta-schema says so, or the caller asks for it", async () => {
  const schema = { $schema: withFormats, format: "ipv4" }
  expect((await check(schema, "127.0.0.1", formatsMeta)).is_valid).toBe(true)
  expect((await check(schema, "x", formatsMeta)).problems).toEqual([
    {
      code: "format",
      severity: "error",
      message: "The value must have the format 'ipv4'.",
      where: "",
      schema_location: "#/format",
    },
  ])
  // JSON Schema 2020-12, validation §7.2.2: it must refuse a format that it does not know.
  await expect(check({ $schema: withFormats, format: "shoe-size" }, "x", formatsMeta)).rejects.toThrow(
    "must have known formats, since its meta-schema checks them, and has 'shoe-size'",
  )
  for (const $schema of [metaSchema, "http://json-schema.org/draft-07/schema#"]) {
    const ask = (format: string, document: unknown, assert_formats?: boolean) =>
      runIsolated(run, { schema: { $schema, format }, document, ...(assert_formats && { assert_formats }) })
    expect((await ask("date", "2026-02-30")).is_valid).toBe(true)
    expect((await ask("date", "2026-02-30", true)).is_valid).toBe(false)
    expect((await ask("date", "2026-02-28", true)).is_valid).toBe(true)
    expect((await ask("shoe-size", "44", true)).is_valid).toBe(true)
    expect((await ask("date", 1, true)).is_valid).toBe(true)
    expect((await ask("date", "2026-02-30")).is_valid).toBe(true)
  }
})

test.each([
  // RFC 3339 §5.7: a leap second is at 23:59:60 of UTC.
  ["time", "23:59:60Z", true],
  ["time", "01:29:60+01:30", true],
  ["time", "15:59:60-08:00", true],
  ["time", "22:59:60Z", false],
  ["time", "23:59:60+01:00", false],
  ["idn-hostname", "b\u00fccher.example", true],
  ["idn-hostname", "xn--X", false],
  ["idn-hostname", "a..b", false],
  ["hostname", "b\u00fccher.example", false],
  ["idn-email", '"\u00fc @"@b\u00fccher.example', true],
  ["idn-email", "\u00fc.a@[127.0.0.1]", true],
  ["idn-email", "\u00fc..a@a.example", false],
])("the format %s of %j: %p", async (format, document, isValid) => {
  const { is_valid } = await runIsolated(run, { schema: { format }, document, assert_formats: true })
  expect(is_valid).toBe(isValid)
})

test("no part of a wrong text is written to the console, whatever its format", async () => {
  const written = spyOn(console, "log")
  try {
    for (const format of [
      "hostname",
      "idn-hostname",
      "email",
      "idn-email",
      "uri",
      "iri",
      "regex",
      "date-time",
    ])
      for (const domain of ["xn--X", "-\u00fc", "a\u00b7b.example", "ab--c\u00fc", "\u0661\u06f1", "a..b"])
        for (const document of [domain, `a@${domain}`, `https://${domain}/`]) {
          const asked = { schema: { format }, document, assert_formats: true }
          await runIsolated(run, asked)
        }
    expect(written.mock.calls).toEqual([])
  } finally {
    written.mockRestore()
  }
})

test("an international address is read as the library reads it, which takes long for long ones alone", async () => {
  const part = fc.constantFrom(
    ...'a é \u0080 . .. - @ @a.b @[127.0.0.1] @[a:b] [ ] : " \\ \ud800 😀 ·'.split(" "),
    " ",
  )
  await fc.assert(
    fc.asyncProperty(fc.array(part, { maxLength: 8 }), async (parts) => {
      const document = parts.join("")
      const asked = { schema: { format: "idn-email" }, document, assert_formats: true }
      expect((await runIsolated(run, asked)).is_valid).toBe(isIdnEmail(document))
    }),
    { numRuns: 2_000 },
  )
})

test.each([
  [{ const: { $id: "https://a.example/b", $ref: "#/c" } }, { $id: "https://a.example/b", $ref: "#/c" }],
  [{ enum: [1, { $anchor: "x", $schema: "y" }] }, { $schema: "y", $anchor: "x" }],
  [{ const: { $defs: { $vocabulary: {} } } }, { $defs: { $vocabulary: {} } }],
  [{ $schema: "http://json-schema.org/draft-07/schema#", const: [{ $ref: "#/a" }] }, [{ $ref: "#/a" }]],
  [{ const: { "\0$id": 1, $id: 2 } }, { "\0$id": 1, $id: 2 }],
  [{ const: -0 }, 0],
])("%j: what is in 'const' and 'enum' is data, not a schema", async (schema, document) => {
  expect((await check(schema, document)).is_valid).toBe(true)
  expect((await check(schema, { other: 1 })).is_valid).toBe(false)
  // A member of that name is still a schema.
  expect(
    (await check({ properties: { const: { $ref: "#/$defs/a" } }, $defs: { a: schema } }, {})).is_valid,
  ).toBe(true)
})
