import { expect, test } from "bun:test"
import { parseOwnerName } from "./tlsa-record.ts"

const label63 = "a".repeat(63)
/** 10 characters of port and transport, then a host of 243: 253 in all. */
const longestHost = `${`${label63}.`.repeat(3)}${"b".repeat(51)}`

test("owner names of TLSA records are split into port, protocol and host", () =>
  expect(parseOwnerName("_443._tcp.www.example.com.")).toEqual({
    name: "_443._tcp.www.example.com.",
    port: 443,
    protocol: "tcp",
    hostname: "www.example.com",
  }))

test.each<[field: string, name: string, port: number, protocol: string]>([
  ["_25._tcp.mail.example.com", "_25._tcp.mail.example.com.", 25, "tcp"],
  ["_853._UDP.Dns.Example", "_853._UDP.Dns.Example.", 853, "udp"],
  ["_1._sctp.localhost", "_1._sctp.localhost.", 1, "sctp"],
  ["_65535._tcp.xn--mller-kva.example.", "_65535._tcp.xn--mller-kva.example.", 65_535, "tcp"],
  ["_443._tcp.my_host.1.example", "_443._tcp.my_host.1.example.", 443, "tcp"],
  ["\\095443._\\tcp.a\\045b.example", "_443._tcp.a-b.example.", 443, "tcp"],
  [`_443._tcp.${longestHost}.`, `_443._tcp.${longestHost}.`, 443, "tcp"],
])("owner names of TLSA records: %s", (field, name, port, protocol) => {
  const owner = parseOwnerName(field)
  expect(owner).toMatchObject({ name, port, protocol })
  expect(owner.hostname).toBe(name.split(".").slice(2, -1).join("."))
})

const cases: readonly (readonly [requirement: string, ...fields: string[]])[] = [
  ["must begin with an owner name of the form _port._protocol.host", "www.example.com."],
  [
    "must begin with an owner name",
    ...". @ 443._tcp.example.com. _https._tcp.example.com. _-1._tcp.example.com.".split(" "),
  ],
  ["a port from 1 to 65535", "_0._tcp.example.com.", "_65536._tcp.example.com."],
  ["a port without leading zeros", "_0443._tcp.example.com."],
  ["must name a port instead of the wildcard", "*._tcp.example.com."],
  ["_tcp, _udp or _sctp", "_443.tcp.example.com.", "_443._quic.example.com.", "_443"],
  ["the complete owner name", "_443._tcp", "_443._tcp."],
  ["not a wildcard", "_443._tcp.*.example.com."],
  ["not an IP address", "_443._tcp.192.0.2.1."],
  [
    "letters, digits, hyphens",
    "_443._tcp.2001:db8::1.",
    "_443._tcp.a\\.b.example.",
    "_443._tcp.a\\255b.example.",
    "_443._tcp.example.com\\",
  ],
  [
    "must have no host label that begins or ends with a hyphen",
    ..."_443._tcp.-a.example. _443._tcp.a-.example. _443._tcp.-.example.".split(" "),
    ..."_443._tcp.example.-com. _443._tcp.a.-b-c-.example.".split(" "),
  ],
  ["letters, digits, hyphens", "_443._tcp.-a!.example."],
  ["xn-- form", "_443._tcp.müller.example."],
  ["no empty label", "_443._tcp..example.com.", "_443._tcp.example.com.."],
  ["labels of at most 63", `_443._tcp.${label63}a.example.`],
  ["at most 253", `_443._tcp.${longestHost}c.`],
]
for (const [requirement, ...fields] of cases)
  test.each(fields)(`other names are rejected: ${requirement}: %s`, (field) =>
    expect(() => parseOwnerName(field)).toThrow(requirement),
  )
