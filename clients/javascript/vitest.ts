/** `penknife/mock/vitest`: adds the matchers for a mock to `expect` of vitest. */
import { type MockMatchers, mockMatchers } from "penknife/mock/expect"
import { expect } from "vitest"

expect.extend(mockMatchers)

declare module "vitest" {
  interface Matchers<T> extends MockMatchers {}
}
