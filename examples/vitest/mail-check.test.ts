import { startMock } from "penknife/mock"
import "penknife/mock/vitest"
import { afterAll, beforeEach, expect, onTestFailed, test } from "vitest"
import { checkSender } from "../client/mail-check.mjs"

const mock = await startMock()
beforeEach(() => mock.reset())
afterAll(() => mock.stop())

test("takes mail from a listed address, refuses it from another", async () => {
  // If this test fails, print the requests and answers.
  onTestFailed(async () => console.error(await mock.describeRequests()))
  expect(await checkSender(mock, "good.example", "93.184.216.7")).toBe("take")
  expect(await checkSender(mock, "good.example", "192.0.2.7")).toBe("refuse")
})

test("gives up when the service stays unavailable", async () => {
  await mock.fault({ api: "spfvalidator", status: 503 })
  expect(await checkSender(mock, "good.example", "93.184.216.7")).toBe("unknown: the service does not answer")
  expect(await mock.requests({ status: 503 })).toHaveLength(3)
})

test("asks about each sender once", async () => {
  await checkSender(mock, "good.example", "93.184.216.7")
  await expect(mock).toHaveCalled({ api: "spfvalidator", input: { domain: "good.example" }, count: 1 })
  await expect(mock).not.toHaveCalled({ status: 429 })
  // A failure shows the call that came instead.
  const wrong = async () =>
    expect(mock).toHaveCalled({ api: "spfvalidator", input: { domain: "other.example" } })
  await expect(wrong()).rejects.toThrow('  - input.domain "other.example"\n  + input.domain "good.example"')
})
