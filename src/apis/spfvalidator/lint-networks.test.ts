import { expect, test } from "bun:test"
import { edgesOf, type Network, parseIpv6, toNetwork } from "../../values/ip.ts"
import { specialUseOf } from "./lint.ts"

/** As a record's terms are read: an IPv4-mapped address stays IPv6. */
function read(text: string): Network {
  const [address = "", prefix] = text.split("/")
  const six = parseIpv6(address)
  return six === null ? toNetwork(text) : { address: six, prefix: Number(prefix) }
}

test("special-purpose networks, whole and not in part", () => {
  for (const text of [
    ..."0.0.0.0/32 10.0.0.0/8 100.64.0.0/10 127.0.0.1/32 169.254.0.0/16 172.16.0.0/12".split(" "),
    ..."192.0.2.0/24 192.168.1.1/32 198.18.0.0/15 198.51.100.0/24 203.0.113.7/32".split(" "),
    ..."224.0.0.0/4 255.255.255.255/32 ::/128 ::1/128 ::ffff:192.0.2.1/128 2001:db8::/32".split(" "),
    ..."fc00::/7 fe80::/10 ff02::1/128".split(" "),
  ])
    expect([text, specialUseOf(edgesOf(read(text)))]).toEqual([text, expect.any(String)])
  const publicNetworks = "8.8.8.8/32 93.184.216.0/24 9.0.0.0/7 0.0.0.0/0 ::/0 2606:2800::/32 192.0.0.0/8"
  for (const text of publicNetworks.split(" "))
    expect([text, specialUseOf(edgesOf(read(text)))]).toEqual([text, null])
})
