import { isDeepStrictEqual } from "node:util"

/** A fixed answer of an API. */
export interface Stub {
  readonly api: string
  /** Only for inputs with these values. */
  readonly input?: Readonly<Record<string, unknown>>
  /** The `data` of the answer. */
  readonly data: Readonly<Record<string, unknown>>
}

export interface Stubs {
  /** Adds a stub; it replaces one for the same API and the same `input`. */
  put(stub: Stub): void
  clear(): void
  list(): readonly Stub[]
  /** The data of the latest stub that matches; null without one. */
  find(api: string, input: Readonly<Record<string, unknown>>): Stub["data"] | null
}

export function createStubs(): Stubs {
  let stubs: Stub[] = []
  return {
    put(stub) {
      const others = stubs.filter(
        ({ api, input }) => api !== stub.api || !isDeepStrictEqual(input, stub.input),
      )
      stubs = [...others, stub]
    },
    clear() {
      stubs = []
    },
    list: () => stubs,
    find(api, input) {
      const found = stubs.findLast((stub) => stub.api === api && hasAll(input, stub.input ?? {}))
      return found?.data ?? null
    },
  }
}

function hasAll(input: Readonly<Record<string, unknown>>, wanted: Readonly<Record<string, unknown>>) {
  return Object.entries(wanted).every(([name, value]) => isDeepStrictEqual(input[name], value))
}
