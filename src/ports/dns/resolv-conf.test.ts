import { expect, test } from "bun:test"
import { readNameServers } from "./resolv-conf.ts"

const hosts = (text: string) => readNameServers(text).map(({ host }) => host)

test("reads the servers in order, and nothing else", () => {
  const text = `
# nameserver 192.0.2.1
; nameserver 192.0.2.2
domain example.com
search nameserver 192.0.2.3
nameserver 192.0.2.4
nameserver\tfe80::1%eth0 # the router
  nameserver 2001:db8::1;x
options ndots:2
`
  expect(readNameServers(text)).toEqual([
    { host: "192.0.2.4", family: 4, port: 53 },
    { host: "fe80::1%eth0", family: 6, port: 53 },
    { host: "2001:db8::1", family: 6, port: 53 },
  ])
})

test("takes three at most, reads CRLF and passes over what is no address", () => {
  const text = ["dns.example", "192.0.2.1", "300.1.1.1", "192.0.2.2", "192.0.2.3", "192.0.2.4"]
    .map((host) => `nameserver ${host}\r\n`)
    .join("")
  expect(hosts(text)).toEqual(["192.0.2.1", "192.0.2.2", "192.0.2.3"])
})

test.each(["", "nameserver", "nameserver x", "nameservers 192.0.2.1"])("%j means this machine", (text) => {
  expect(hosts(text)).toEqual(["127.0.0.1"])
})
