import assert from "node:assert/strict"
import { after, beforeEach, test } from "node:test"
import { startMock } from "penknife/mock"
import { checkSender } from "../client/mail-check.mjs"

const mock = await startMock()
beforeEach(() => mock.reset())
after(() => mock.stop())

test("takes mail from a listed address, refuses it from another", async () => {
  assert.equal(await checkSender(mock, "good.example", "93.184.216.7"), "take")
  assert.equal(await checkSender(mock, "good.example", "192.0.2.7"), "refuse")
})

test("a domain of the test's own", async () => {
  await mock.dns({ "shop.example": [{ TXT: "v=spf1 ip4:203.0.113.9 -all" }] })
  assert.equal(await checkSender(mock, "shop.example", "203.0.113.9"), "take")
})

test("a connection that is reset", async () => {
  await mock.fault({ reset: true, times: 1 })
  await assert.rejects(checkSender(mock, "good.example", "93.184.216.7"))
})

test("asks about each sender once", async () => {
  await checkSender(mock, "good.example", "93.184.216.7")
  await mock.verify({ api: "spfvalidator", input: { domain: "good.example" }, count: 1 })
  // A failure shows the call that came instead.
  const wrong = mock.verify({ api: "spfvalidator", input: { domain: "other.example" } })
  await assert.rejects(wrong, {
    message: / {2}- input\.domain "other\.example"\n {2}\+ input\.domain "good\.example"/,
  })
})
