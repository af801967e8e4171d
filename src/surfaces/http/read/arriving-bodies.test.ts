import { expect, test } from "bun:test"
import { createArrivingBodies } from "./intake.ts"

test("beyond the limit the oldest bodies are given up, until the others fit; one alone may be larger", () => {
  const bodies = createArrivingBodies(100)
  const givenUp: string[] = []
  const open = (name: string, bytes: number) => {
    const body = bodies.open(() => givenUp.push(name))
    body.add(bytes)
    return body
  }
  const first = open("first", 40)
  open("second", 40)
  first.add(20)
  expect([bodies.bytes(), givenUp]).toEqual([100, []])
  const third = open("third", 50)
  expect([bodies.bytes(), givenUp]).toEqual([90, ["first"]])
  open("large", 500)
  expect([bodies.bytes(), givenUp]).toEqual([500, ["first", "second", "third"]])
  third.close()
  expect(bodies.bytes()).toBe(500)
})
