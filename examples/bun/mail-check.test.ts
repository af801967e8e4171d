import { afterAll, beforeEach, expect, test } from "bun:test"
import { startMock } from "penknife/mock"
import "penknife/mock/bun"
import { checkSender } from "../client/mail-check.mjs"

const mock = await startMock()
beforeEach(() => mock.reset())
afterAll(() => mock.stop())

test("takes mail from a listed address, refuses it from another", async () => {
  expect(await checkSender(mock, "good.example", "93.184.216.7")).toBe("take")
  expect(await checkSender(mock, "good.example", "192.0.2.7")).toBe("refuse")
})

test("tries again when the service is unavailable", async () => {
  await mock.fault({ api: "spfvalidator", status: 503, times: 2 })
  expect(await checkSender(mock, "good.example", "93.184.216.7")).toBe("take")
  expect(await mock.requests({ status: 503 })).toHaveLength(2)
})

test("knows when the credits are used up", async () => {
  const poor = { url: mock.url, key: "mock-no-credits" }
  expect(await checkSender(poor, "good.example", "93.184.216.7")).toStartWith("unknown: the limit")
  await mock.advance("31d")
  expect(await checkSender(poor, "good.example", "93.184.216.7")).toBe("take")
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
