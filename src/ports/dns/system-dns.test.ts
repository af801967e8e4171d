import { expect, test } from "bun:test"
import { createManualClock } from "../../../test/support/clock.ts"
import { startDnsServer } from "../../../test/support/dns-server.ts"
import { systemRandom } from "../random.ts"
import { createSystemDns } from "./system-dns.ts"

const options = { clock: createManualClock(), random: systemRandom }

test("asks the servers that it is given", async () => {
  const server = await startDnsServer({ "a.example": [{ A: "192.0.2.1" }] })
  const dns = createSystemDns([server.address], options)
  expect(await dns.resolve("a.example", "A")).toMatchObject({ records: ["192.0.2.1"] })
  await server.stop()
})

test("without any has those of the system, and asks them nothing by itself", () => {
  expect(createSystemDns([], options).stats().queries).toBe(0)
})

test("says what is wrong with a server", () => {
  expect(() => createSystemDns(["127.0.0.1", "dns.example"], options)).toThrow(
    "must be IP, IP:PORT or [IPv6]:PORT, not 'dns.example'",
  )
})
