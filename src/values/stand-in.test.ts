import { expect, test } from "bun:test"
import { standIn } from "./stand-in.ts"

test("methods and members that are taken off at one time work with the object of another", async () => {
  const make = (name: string) => ({
    name,
    plans: new Map([[name, 1]]),
    says: (word: string) => `${name} says ${word}`,
    inner: { own: name, deep: { ask: async () => name } },
  })
  let present: object = make("first")
  const stand = standIn(make("shape"), (work) => work(present))
  const { says, inner } = stand
  const { ask } = { ...inner.deep }
  present = make("second")
  expect([says("hello"), inner.own, stand.name, [...stand.plans.keys()]]).toEqual([
    ...["second says hello", "second", "second", ["second"]],
  ])
  await expect(ask()).resolves.toBe("second")
  expect({ ...inner }).toMatchObject({ own: "second" })
})

test("a use that finds no object throws, and nothing answers for it", () => {
  const stand = standIn({ get: () => "shape", inner: { value: 1 } }, () => {
    throw new Error("outside of a request")
  })
  const { get, inner } = stand
  expect(() => get()).toThrow("outside of a request")
  expect(() => inner.value).toThrow("outside of a request")
})
