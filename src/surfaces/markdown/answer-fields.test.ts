import { expect, test } from "bun:test"
import { Type } from "@sinclair/typebox"
import { nullable } from "../../apis/contract.ts"
import { catalog } from "../../app/prepare.ts"
import { fieldsOf } from "./api-page.ts"

test("the fields of an object or a list that may be null are listed too", () => {
  const part = Type.Object({ a: Type.String(), b: Type.Object({ c: Type.String() }) })
  const schema = Type.Object({
    one: nullable(part, { description: "" }),
    many: nullable(Type.Array(part), { description: "" }),
  })
  expect(fieldsOf(schema).map(({ path }) => path)).toEqual([
    ...["one", "one.a", "one.b", "one.b.c"],
    ...["many", "many[].a", "many[].b", "many[].b.c"],
  ])
})

test("every field of an example's answer is documented", () => {
  for (const { id, output, examples } of catalog) {
    const known = new Set(fieldsOf(output).map(({ path }) => path))
    for (const example of examples)
      expect([id, pathsIn(example.output, output).filter((path) => !known.has(path))]).toEqual([id, []])
  }
})

/** The paths of a value that the schema names; those of free forms, such as a JSON value, are left out. */
function pathsIn(value: unknown, schema: { readonly [key: string]: unknown }, path = ""): string[] {
  const members = [schema, ...((schema.anyOf as (typeof schema)[] | undefined) ?? [])]
  if (Array.isArray(value)) {
    const items = members.find(({ items }) => items)?.items as typeof schema | undefined
    return items ? value.flatMap((item) => pathsIn(item, items, `${path}[]`)) : []
  }
  const properties = members.find(({ properties }) => properties)?.properties as
    | Readonly<Record<string, typeof schema>>
    | undefined
  if (typeof value !== "object" || value === null || !properties) return []
  return Object.entries(value).flatMap(([name, part]) => {
    const inner = path === "" ? name : `${path}.${name}`
    const below = properties[name]
    return below ? [inner, ...pathsIn(part, below, inner)] : []
  })
}
