import fc from "fast-check"
import { ipcalculator } from "../../src/apis/ipcalculator/index.ts"
import { isWithin, parseIpv4, parseIpv6, toNetwork } from "../../src/values/ip.ts"
import { ask, askPython, defineOracle, run } from "./oracle.ts"

interface Case {
  readonly network: string
  readonly others: string[]
  readonly split: number
}
interface Answer {
  readonly global: boolean
  readonly [field: string]: unknown
}

const special =
  "0.0.0.0 10.0.0.0 100.64.0.0 127.0.0.0 169.254.0.0 172.16.0.0 192.0.0.0 192.0.0.9 192.0.0.170 192.0.2.0 192.31.196.0 192.52.193.0 192.88.99.0 192.168.0.0 192.175.48.0 198.18.0.0 198.51.100.0 203.0.113.0 224.0.0.0 240.0.0.0 255.255.255.255 :: ::1 64:ff9b:: 64:ff9b:1:: 100:: 2001:: 2001:1::1 2001:1::2 2001:2:: 2001:3:: 2001:4:112:: 2001:10:: 2001:20:: 2001:30:: 2001:db8:: 2002:: 2620:4f:8000:: 3fff:: 5f00:: fc00:: fe80:: ff00::".split(
    " ",
  )
const address = fc.oneof(
  fc.ipV4(),
  fc.ipV6().filter((text) => !text.includes(".")),
  fc.constantFrom(...special),
)
const network = fc
  .tuple(address, fc.integer({ min: 0, max: 32 }), fc.boolean())
  .map(([text, prefix, isLong]) => `${text}/${text.includes(":") && isLong ? prefix * 4 : prefix}`)
const bitsOf = (text: string) => (text.includes(":") ? 128 : 32)

/** Networks of a newer RFC, or with exceptions inside, of which Python 3.11 does not know. */
const newer =
  "192.0.0.0/24 64:ff9b:1::/48 2001::/23 2002::/16 3fff::/20 5f00::/16 192.88.99.2/32 100:0:0:1::/64".split(
    " ",
  )

/** The answer with hexadecimal groups for the IPv4 addresses at the end of IPv6 addresses. */
function withoutMixed(answer: Answer): Answer {
  const text = JSON.stringify(answer).replace(/::ffff:[\d.]+/g, (mixed) => String(parseIpv6(mixed) ?? mixed))
  return JSON.parse(text)
}

export const oracle = defineOracle<Case, Answer>({
  api: "ipcalculator",
  against: "Python ipaddress",
  cases: 4_000,
  generate: fc
    .tuple(network, fc.array(network, { maxLength: 8 }), fc.integer({ min: 0, max: 8 }))
    .map(([text, others, deeper]) => {
      return { network: text, others, split: Math.min(Number(text.split("/")[1]) + deeper, bitsOf(text)) }
    }),
  async version() {
    return (await run(["/usr/bin/python3", "--version"], "")).out.trim().replace("Python ", "")
  },
  async ours({ network, others, split }) {
    const answer = await ask(ipcalculator, { address: network, split, aggregate: others })
    return {
      network: answer?.network,
      first: answer?.first,
      last: answer?.last,
      netmask: answer?.netmask,
      wildcard: answer?.wildcard,
      hosts: answer && [answer.first_host, answer.last_host],
      count: answer?.address_count,
      reverse: answer?.reverse_name,
      parts: answer?.networks,
      aggregated: answer?.aggregated,
      global: answer?.special === null || answer?.special.is_globally_reachable !== false,
    }
  },
  theirs: (cases) => askPython("ipcalculator.py", cases, "python3"),
  known: [
    {
      reason:
        "RFC 5952 §5: the end of an IPv4-mapped address as an IPv4 address, which Python writes since 3.13",
      fits({ network, others }, ours, theirs) {
        const isMixed =
          JSON.stringify(ours).includes("::ffff:") && [network, ...others].some((text) => text.includes("::"))
        return isMixed && Bun.deepEquals({ ...withoutMixed(ours), global: theirs.global }, theirs)
      },
    },
    {
      reason:
        "special purposes that Python 3.11 does not have, or has without the exceptions inside a network",
      fits({ network }, ours, theirs) {
        const text = network.split("/")[0] ?? ""
        const one = parseIpv4(text) ?? parseIpv6(text)
        const isRestEqual = Bun.deepEquals({ ...ours, global: theirs.global }, theirs)
        return isRestEqual && one !== null && newer.some((entry) => isWithin(one, toNetwork(entry)))
      },
    },
  ],
})
