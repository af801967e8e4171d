import { expect, test } from "bun:test"
import { formParametersOf } from "./form-parameters.ts"
import { operations } from "./operations.ts"

const of = (id: string) => {
  const operation = operations.find((each) => each.id === id)
  if (operation === undefined) throw new Error(`no operation ${id}`)
  return formParametersOf(operation)
}

test("the parameters that forms draw: a text, a time, a number, a flag and a list have the kind and the description of their definitions", () => {
  const { name, expires, rate_limit, allow_ips } = of("keys.update")
  expect(name).toEqual({ kind: "text", description: "The key's name." })
  expect(expires).toMatchObject({ kind: "time", isNullable: true })
  expect(rate_limit).toMatchObject({ kind: "number", isNullable: true })
  expect(allow_ips).toMatchObject({ kind: "list" })
  expect(of("webhooks.set").allow_private).toMatchObject({ kind: "flag" })
})

test("the parameters that forms draw: what must be given is told from what may be left out, and from what cannot be emptied", () => {
  expect(of("accounts.create").name).toMatchObject({ isRequired: true, isFilled: true })
  expect(of("accounts.create").email).not.toHaveProperty("isRequired")
  // A change may leave the name out, but not take it away.
  expect(of("accounts.update").name).toMatchObject({ isFilled: true })
  expect(of("accounts.update").name).not.toHaveProperty("isRequired")
  expect(of("keys.update").name).not.toHaveProperty("isFilled")
})

test("the parameters that forms draw: choices are those that the service takes, of a value and of a list", () => {
  expect(of("accounts.update").notify?.choices).toEqual(["webhook", "mail", "both", "none"])
  expect(of("accounts.update").events?.choices).toContain("key.expiring")
  expect(of("accounts.update").name).not.toHaveProperty("choices")
})

test("the parameters that forms draw: neither a part of the path nor an object is asked for", () => {
  expect(of("accounts.update")).not.toHaveProperty("id")
  expect(of("accounts.update")).not.toHaveProperty("metadata")
  expect(of("config.put")).not.toHaveProperty("changes")
})

test("the parameters that forms draw: each parameter of each operation that a form asks for is described", () => {
  const described = operations.flatMap((operation) => Object.values(formParametersOf(operation)))
  expect(described.length).toBeGreaterThan(100)
  expect(described.filter(({ description }) => description === "")).toEqual([])
})
