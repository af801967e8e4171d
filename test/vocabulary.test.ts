import { expect, test } from "bun:test"
import type { TSchema } from "@sinclair/typebox"
import renamed from "../docs/renamed-fields.json"
import { catalog } from "../src/app/prepare.ts"

/** The contract fixes the fields of these. */
const contract =
  "hmac spfvalidator loanpaymentcalculator danevalidator linesorter bluetoothlookup sunrisesunset".split(" ")
const others = catalog.filter(({ id }) => !contract.includes(id))

interface Field {
  readonly path: string
  readonly name: string
  readonly schema: TSchema
  readonly kinds: ReadonlySet<string>
}

/** All fields of a schema with their paths, such as `records[].ttl`, those of nullable objects included. */
function fieldsOf(schema: TSchema, path = ""): readonly Field[] {
  const members: readonly TSchema[] = schema.anyOf ?? []
  const properties: Readonly<Record<string, TSchema>> = schema.properties ?? {}
  return [
    ...members.flatMap((member) => fieldsOf(member, path)),
    ...(schema.items ? fieldsOf(schema.items, `${path}[]`) : []),
    ...Object.entries(properties).flatMap(([name, inner]) => {
      const at = path === "" ? name : `${path}.${name}`
      return [{ path: at, name, schema: inner, kinds: kindsOf(inner) }, ...fieldsOf(inner, at)]
    }),
  ]
}

function kindsOf(schema: TSchema): ReadonlySet<string> {
  const members: readonly TSchema[] = schema.anyOf ?? [schema]
  return new Set(
    members.flatMap((one) => (one.anyOf ? [...kindsOf(one)] : [String(one.type ?? typeof one.const)])),
  )
}

function values(schema: TSchema): readonly unknown[] {
  const members: readonly TSchema[] = schema.anyOf ?? []
  return members.flatMap((one) => (one.anyOf ? values(one) : "const" in one ? [one.const] : []))
}

const fields = others.flatMap((api) =>
  fieldsOf(api.output).map((field) => ({ ...field, path: `${api.id}: ${field.path}` })),
)
const pathsWhere = (wrong: (field: Field) => boolean) => fields.filter(wrong).map(({ path }) => path)

test("Every boolean begins with is_ or has_, and nothing else does", () =>
  expect(pathsWhere(({ name, kinds }) => kinds.has("boolean") !== /^(is|has)_/.test(name))).toEqual([]))

test("No answer says yes or no in a text", () =>
  expect(
    pathsWhere(({ schema }) => values(schema).some((value) => value === "yes" || value === "no")),
  ).toEqual([]))

test("What was found wrong is a list 'problems' with code, severity, message and where, beside a boolean", () => {
  const other = new Set(["errors", "warnings", "issues", "findings", "valid"])
  // The reporter's own words about its record, as RFC 9990 has them.
  expect(pathsWhere(({ name, path }) => other.has(name) && path !== "mailreportparser: errors")).toEqual([])
  const incomplete = others.filter(({ output }) => {
    const items: TSchema | undefined = output.properties.problems?.items
    return items && !["code", "severity", "message", "where"].every((name) => name in items.properties)
  })
  expect(incomplete.map(({ id }) => id)).toEqual([])
  expect(
    others.filter(({ output: { properties: own } }) => own.is_valid && !own.problems).map(({ id }) => id),
  ).toEqual([])
})

test("Times and validity have one form", () => {
  const old =
    /^(not_before|not_after|valid_to|expires|expires_at|expiration|inception|begin|end|seconds_left|signed_until)$/
  expect(pathsWhere(({ name }) => old.test(name))).toEqual([])
  const moments = fields.filter(
    ({ name }) => name.endsWith("_at") || name === "valid_from" || name === "valid_until" || name === "utc",
  )
  expect(moments.length).toBeGreaterThan(20)
  const answers = others.flatMap(({ id, examples }) =>
    examples.flatMap(({ output }) => momentsIn(output).map((text) => `${id} ${text}`)),
  )
  expect(answers.length).toBeGreaterThan(20)
  expect(answers.filter((text) => !/ \d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(text))).toEqual([])
})

function momentsIn(value: unknown): readonly string[] {
  if (typeof value !== "object" || value === null) return []
  return Object.entries(value).flatMap(([name, inner]) =>
    typeof inner === "string" && (/_at$/.test(name) || ["valid_from", "valid_until", "utc"].includes(name))
      ? [inner]
      : momentsIn(inner),
  )
}

test("Fingerprints, kinds, names and addresses have one word each", () => {
  expect(
    pathsWhere(({ name }) => /fingerprint(?!s$)|^address(es)?$/.test(name) && name !== "address"),
  ).toEqual([])
  expect(pathsWhere(({ name, path }) => name === "type" && !/dnslookup|dnssecvalidator/.test(path))).toEqual(
    [],
  )
  expect(pathsWhere(({ name }) => !/^[a-z][a-z0-9]*(_[a-z0-9]+)*$/.test(name))).toEqual([])
})

test("A DNS record in a list is an object with its data as value", () => {
  const lists = fields.filter(({ name, schema }) => name === "records" && schema.type === "array")
  expect(lists.length).toBeGreaterThan(3)
  expect(lists.filter(({ schema }) => !schema.items?.properties?.value).map(({ path }) => path)).toEqual([])
})

test("The list of renamed fields names fields that are there, and none that is gone", () => {
  const missing: string[] = []
  for (const [id, names] of Object.entries(renamed)) {
    const api = catalog.find((one) => one.id === id)
    const paths = new Set(api ? fieldsOf(api.output).map(({ path }) => path) : [])
    for (const [old, now] of Object.entries(names)) {
      if (!paths.has(now.replace(/\[\]$/, ""))) missing.push(`${id}: ${now} is not there`)
      const isSame = old.replace(/\[\]$/, "") === now || now.startsWith(`${old}.`)
      // The word has another meaning now: the data of the record as a zone file writes it.
      const isReused = old.endsWith("records[].value")
      if (!isSame && !isReused && paths.has(old) && !Object.values(names).includes(old))
        missing.push(`${id}: ${old} is still there`)
    }
  }
  expect(missing).toEqual([])
})
