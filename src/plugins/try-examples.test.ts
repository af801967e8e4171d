/** The examples of an API of the operator, as a start tries them. */
import { expect, test } from "bun:test"
import { Type } from "@sinclair/typebox"
import { createManualTimer } from "../../test/support/timer.ts"
import { packDefinition, unpackDefinition } from "./definition-text.ts"
import { wrongExample } from "./try-examples.ts"

const text = Type.String({ description: "A text." })
const definition = {
  ...{ id: "shout", title: "Shout", description: "Shouts.", method: "POST", credits: 1 },
  input: Type.Object({ text: text }),
  output: Type.Object({ shouted: text }),
  examples: [{ name: "One", input: { text: "a" }, output: { shouted: "A" } }],
}

test.each([
  ["right", async () => ({ shouted: "A" }), null],
  ["wrong", async () => ({ shouted: "B" }), "'shouted' should be"],
  ["thrown", () => Promise.reject(new Error("no")), "no"],
])("leave no timer behind: one that is %s", async (_, run, problem) => {
  const timer = createManualTimer()
  const wrong = await wrongExample(unpackDefinition(packDefinition(definition as never)), run, timer)
  expect(wrong?.problem ?? null).toEqual(problem === null ? null : expect.stringContaining(problem))
  expect(timer.waiting).toEqual([])
})
