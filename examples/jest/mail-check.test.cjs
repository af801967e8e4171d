const { startMock } = require("penknife/mock")

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
