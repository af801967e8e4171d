import { expect, test } from "bun:test"
import fc from "fast-check"
import { buildSchema, getVariableValues, Kind, type OperationDefinitionNode, parse } from "graphql"
import { Refusal } from "./refusal.ts"
import { readVariables } from "./variables.ts"

const schema = buildSchema(`
  input Inner { text: String!, number: Float = 1.5 }
  input Outer { inner: Inner, list: [Inner!], int: Int, flag: Boolean! = true }
  type Query { a(outer: Outer, list: [[Int]!], id: String): String }
`)

function operationOf(declared: string): OperationDefinitionNode {
  const [operation] = parse(`query(${declared}) { a }`).definitions
  if (operation?.kind !== Kind.OPERATION_DEFINITION) throw new Error("there is no operation")
  return operation
}

function read(operation: OperationDefinitionNode, given: Record<string, unknown>) {
  try {
    return { values: readVariables(schema, operation, given), errors: [] }
  } catch (thrown) {
    if (!(thrown instanceof Refusal)) throw thrown
    return { values: null, errors: thrown.errors }
  }
}

test("the same variables are accepted and refused as by graphql-js, with the same values", () => {
  const operation = operationOf(
    `$outer: Outer, $list: [[Int]!], $id: String = "x", $must: Outer! = {flag: false}, $no: Int!`,
  )
  const leaf = fc.constantFrom<unknown[]>(null, true, 1, 1.5, -0, 2 ** 31, "", "text", [], {}, undefined)
  const inner = fc.record({ text: leaf, number: leaf, more: leaf }, { requiredKeys: [] })
  const outer = fc.record(
    { inner: fc.oneof(inner, leaf), list: fc.oneof(fc.array(inner), inner, leaf), int: leaf, flag: leaf },
    { requiredKeys: [] },
  )
  const good = fc.constantFrom({ inner: { text: "t" } }, { list: [{ text: "t", number: 2 }], int: 3 }, {})
  const given = fc.record(
    {
      outer: fc.oneof({ arbitrary: good, weight: 3 }, outer, leaf),
      list: fc.oneof({ arbitrary: fc.array(fc.array(fc.integer())), weight: 3 }, fc.array(leaf), leaf),
      id: fc.oneof({ arbitrary: fc.string(), weight: 3 }, leaf),
      must: fc.oneof({ arbitrary: good, weight: 3 }, outer),
      no: fc.oneof({ arbitrary: fc.integer({ min: 0, max: 9 }), weight: 5 }, leaf),
    },
    { requiredKeys: [] },
  )
  let taken = 0
  let refused = 0
  fc.assert(
    fc.property(given, (drawn) => {
      const variables = JSON.parse(JSON.stringify(drawn))
      const { coerced } = getVariableValues(schema, operation.variableDefinitions ?? [], variables)
      const { values, errors } = read(operation, variables)
      if (coerced) {
        taken++
        expect(values as unknown).toEqual({ ...coerced })
      } else {
        refused++
        expect(errors.length).toBeGreaterThan(0)
      }
    }),
    { numRuns: 1_000 },
  )
  expect(Math.min(taken, refused)).toBeGreaterThan(50)
})

const outer = operationOf("$outer: Outer!")
const messagesFor = (given: Record<string, unknown>) =>
  read(outer, given).errors.map(({ message }) => message)

test("the messages name the place and quote nothing around it", () => {
  expect(messagesFor({ outer: { list: [{ text: "secret" }, { text: 5 }], flag: true } })).toEqual([
    "The variable '$outer.list[1].text' does not fit: String cannot represent a non string value.",
  ])
  expect(
    messagesFor({ outer: { flag: null, inner: { text: "secret", other: "secret" } } }).join(),
  ).not.toContain("secret")
  expect(messagesFor({})).toEqual(["The variable '$outer' is required and must be of type 'Outer!'."])
  expect(read(outer, {}).errors[0]?.locations).toEqual([{ line: 1, column: 7 }])
})

test("the messages are at most 20", () => {
  const members = Object.fromEntries(Array.from({ length: 1_000 }, (_, index) => [`x${index}`, index]))
  expect(messagesFor({ outer: members })).toHaveLength(20)
  expect(messagesFor({ outer: { list: Array(1_000).fill(1) } })).toHaveLength(20)
})
