import { expect, test } from "bun:test"
import { createManualClock } from "../../../test/support/clock.ts"
import { useDns } from "../../../test/support/resolver.ts"
import { createManualTimer } from "../../../test/support/timer.ts"
import { systemRandom } from "../random.ts"
import { createSystemDns, toServers } from "./system-dns.ts"

const { serve } = useDns({ "a.example": [{ A: "192.0.2.1" }] })
const options = { clock: createManualClock(), random: systemRandom, timer: createManualTimer() }

test("asks the servers that it is given", async () => {
  const dns = createSystemDns([(await serve()).address], options)
  expect(await dns.resolve("a.example", "A")).toMatchObject({ records: ["192.0.2.1"] })
})

test("without any it takes those of the system, and asks them nothing by itself", () =>
  expect(createSystemDns([], options).stats().queries).toBe(0))

test("says what is wrong with a server", () =>
  expect(() => createSystemDns(["127.0.0.1", "dns.example"], options)).toThrow(
    "must be IP, IP:PORT or [IPv6]:PORT, not 'dns.example'",
  ))

const hosts = (reported: string[], zones: number[] = []) =>
  toServers(reported, () => zones).map(({ host }) => host)

test("three servers of the system at most, in order, with their ports", () =>
  expect(toServers(["192.0.2.4", "[2001:db8::1]:5353", "192.0.2.5:54", "192.0.2.6"], () => [])).toEqual([
    { host: "192.0.2.4", family: 4, port: 53 },
    { host: "2001:db8::1", family: 6, port: 5353 },
    { host: "192.0.2.5", family: 4, port: 54 },
  ]))

test("a link-local server is tried in each zone, and left out when there is none", () => {
  expect(hosts(["fe80::1", "192.0.2.4"], [2, 4])).toEqual(["fe80::1%2", "fe80::1%4", "192.0.2.4"])
  expect(hosts(["fe80::1", "192.0.2.4"])).toEqual(["192.0.2.4"])
})

test("without any server of the system this machine is asked", () => {
  expect(hosts([])).toEqual(["127.0.0.1"])
  expect(hosts(["fe80::1"])).toEqual(["127.0.0.1"])
})
