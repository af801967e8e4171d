import { startMock } from "penknife/mock"
import { expect, test } from "vitest"

test("a call that fails once succeeds when it is repeated", async () => {
  const mock = await startMock()
  await mock.fault({ api: "bluetoothlookup", status: 503, times: 1 })

  const url = `${mock.url}/v1/bluetoothlookup?companyid=76`
  const call = () => fetch(url, { headers: { "x-api-key": mock.key } })
  expect((await call()).status).toBe(503)
  expect((await call()).status).toBe(200)

  await mock.stop()
})
