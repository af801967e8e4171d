import { expect, test } from "bun:test"
import { parseServerAddress } from "./server-address.ts"

test.each([
  ["192.0.2.1", { host: "192.0.2.1", family: 4, port: 53 }],
  ["192.0.2.1:5353", { host: "192.0.2.1", family: 4, port: 5353 }],
  ["::1", { host: "::1", family: 6, port: 53 }],
  ["2001:db8::5353", { host: "2001:db8::5353", family: 6, port: 53 }],
  ["[::1]", { host: "::1", family: 6, port: 53 }],
  ["[fe80::1%eth0]:65535", { host: "fe80::1%eth0", family: 6, port: 65535 }],
] as const)("%s", (text, expected) => expect(parseServerAddress(text)).toEqual(expected))

test.each([
  ...["", " 192.0.2.1"],
  ..."dns.example dns.example:53 192.0.2.256 192.0.2.1.5 [192.0.2.1]:53 [::1 [::1]53 ::1]:53 []:53".split(
    " ",
  ),
])("%j is no address", (text) =>
  expect(() => parseServerAddress(text)).toThrow(`must be IP, IP:PORT or [IPv6]:PORT, not '${text}'`),
)

test.each([
  ["192.0.2.1:", ""],
  ["192.0.2.1:0", "0"],
  ["192.0.2.1:65536", "65536"],
  ["192.0.2.1:5e3", "5e3"],
  ["[::1]:-1", "-1"],
  ["[::1]:", ""],
])("%j has no port", (text, port) =>
  expect(() => parseServerAddress(text)).toThrow(`must have a port from 1 to 65535, not '${port}'`),
)
