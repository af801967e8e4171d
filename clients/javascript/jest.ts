/** `penknife/mock/jest`: adds the matchers for a mock to the global `expect` of jest. */
// Without an import its module could not be extended below.
import type {} from "expect"
import { type MockMatchers, mockMatchers } from "penknife/mock/expect"

const { expect } = globalThis as { readonly expect?: { extend(matchers: object): void } }
if (!expect) {
  throw new Error(
    "penknife/mock/jest needs the global expect of jest. Without it: expect.extend(mockMatchers) with penknife/mock/expect.",
  )
}
expect.extend(mockMatchers)

// For `import { expect } from "@jest/globals"`.
declare module "expect" {
  interface Matchers<R extends void | Promise<void>, T> extends MockMatchers {}
}

// For the globals of `@types/jest`.
declare global {
  namespace jest {
    interface Matchers<R, T> extends MockMatchers {}
  }
}
