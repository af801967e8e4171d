/** `penknife/mock/expect`: a matcher for `expect` of vitest, jest and bun:test, which `penknife/mock/vitest` and the others add. */
import type { Mock, MockExpectation } from "penknife/mock"

/** Matchers for a mock of `startMock`. They are asynchronous: `await expect(mock).toHaveCalled({ api: "hmac" })`. */
export interface MockMatchers {
  /** That the requests so far are as expected; by default, that one came. The message of a failure shows what came instead. */
  toHaveCalled(expectation?: MockExpectation): Promise<void>
}

/** For `expect.extend`. A question that the mock refuses or cannot answer fails with and without `not`. */
export const mockMatchers = {
  async toHaveCalled(received: unknown, expectation: MockExpectation = {}) {
    if (!isMock(received)) throw new Error("toHaveCalled needs a mock of startMock: expect(mock)")
    try {
      const text = await received.verify(expectation)
      return { pass: true, message: () => `This should not have come. ${text}` }
    } catch (thrown) {
      if (!(thrown instanceof Error && thrown.name === "NotAsExpected")) throw thrown
      return { pass: false, message: () => thrown.message }
    }
  },
}

function isMock(value: unknown): value is Pick<Mock, "verify"> {
  return typeof value === "object" && value !== null && "verify" in value
}
