import { type Static, Type } from "@sinclair/typebox"
import { hasValues, isSameInput, ruleFields, type SeededRandom, toChance, values } from "./rule.ts"

/** A fixed answer of an API. Without `data` it is what the API computes; nothing is computed when there is a `body`. */
export const stubSchema = Type.Object({ api: Type.String(), ...ruleFields, data: Type.Optional(values) })
export type Stub = Static<typeof stubSchema>

export type Stubs = ReturnType<typeof createStubs>

/** Creates an empty list of stubs. Randomness decides which calls a stub with a probability answers. */
export function createStubs(createRandom: SeededRandom) {
  let entries: { readonly stub: Stub; readonly applies: () => boolean }[] = []
  return {
    /** Adds a stub; it replaces one for the same API and the same `input`. */
    put(stub: Stub) {
      const others = entries.filter((one) => !isSameCall(one.stub, stub))
      entries = [...others, { stub, applies: toChance(stub, createRandom) }]
    },
    clear() {
      entries = []
    },
    list: () => entries.map(({ stub }) => stub),
    /** The latest stub that matches a call; null without one. */
    find(api: string, input: Readonly<Record<string, unknown>>) {
      const found = entries.findLast(
        ({ stub, applies }) => stub.api === api && hasValues(input, stub.input ?? {}) && applies(),
      )
      return found?.stub ?? null
    },
  }
}

/** Whether a stub takes the place of another one. */
export function isSameCall(one: Stub, other: Stub): boolean {
  return one.api === other.api && isSameInput(one.input, other.input)
}
