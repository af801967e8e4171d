const { startMock } = require("penknife/mock")
require("penknife/mock/jest")

let mock
beforeAll(async () => {
  mock = await startMock({ plan: "free" })
})
beforeEach(() => mock.reset())
afterAll(() => mock.stop())

const validate = (domain) =>
  fetch(`${mock.url}/v1/spfvalidator?domain=${domain}`, { headers: { "x-api-key": mock.key } })

test("a free account sees no premium field", async () => {
  const { data } = await (await validate("good.example")).json()
  expect(data.spf_valid).toBe(true)
  expect(data).not.toHaveProperty("risk_score")
})

test("a fixed answer", async () => {
  await mock.stub({ api: "spfvalidator", input: { domain: "x.example" }, data: { spf_valid: false } })
  expect((await (await validate("x.example")).json()).data).toEqual({ spf_valid: false })
  expect(await mock.requests({ api: "spfvalidator" })).toHaveLength(1)
})

test("asks about a domain once", async () => {
  await validate("good.example")
  await expect(mock).toHaveCalled({ api: "spfvalidator", input: { domain: "good.example" }, count: 1 })
  await expect(mock).not.toHaveCalled({ status: 429 })
  // A failure shows the call that came instead.
  const wrong = async () =>
    expect(mock).toHaveCalled({ api: "spfvalidator", input: { domain: "other.example" } })
  await expect(wrong()).rejects.toThrow('  - input.domain "other.example"\n  + input.domain "good.example"')
})
