/** `penknife/mock/bun`: adds the matchers for a mock to `expect` of bun:test. */
import { expect } from "bun:test"
import { type MockMatchers, mockMatchers } from "penknife/mock/expect"

expect.extend(mockMatchers)

declare module "bun:test" {
  interface Matchers<T> extends MockMatchers {}
}
