import { Type } from "@sinclair/typebox"
import { type Address, isIpv6, parseAddress, toReverseName } from "../../values/ip.ts"
import { defineProblems } from "../../values/problems.ts"
import { type Dns, defineApi, reject } from "../contract.ts"
import { requireRecords, withTimeLimit } from "../mail/look-up.ts"
import { showBytes } from "../mail/tag-list.ts"
import { field, storedExamples } from "../shared.ts"
import answers from "./answers.json"
import stored from "./examples.json"

const dnsLimitMs = 15_000
/** The number that SPF uses (RFC 7208 §4.6.4). */
const maxNames = 10
const maxAddresses = 50

const { problemList, problem, newProblems } = defineProblems({
  no_name: "warning: the address has no name; many mail servers refuse its mail",
  not_confirmed: "warning: a name that does not have the address; mail servers do not trust it",
  no_answer: "warning: a name for which the DNS gave no answer",
  not_a_host:
    "warning: a name that no host can have: labels are letters, digits and hyphens between them (RFC 952, RFC 1123 §2.1)",
  generic_name:
    "warning: a name made from the address, as providers name their customers' lines; many mail servers refuse mail from such names",
  several_names: "info: more than one name; some programs use only one of them",
  names_left_out: "info: more than 10 names, of which only 10 were checked",
})

export const reversedns = defineApi({
  id: "reversedns",
  title: "Reverse DNS",
  category: "mail",
  keywords: [
    "PTR",
    "rDNS",
    "FCrDNS",
    "forward-confirmed",
    "host name",
    "IP address",
    "mail server",
    "in-addr.arpa",
  ],
  description:
    "Finds the names of an IP address. Checks whether they lead back to it (forward-confirmed reverse DNS), and whether they are made from it, as providers name their customers' lines.",
  method: "GET",
  credits: 1,
  asksDns: true,
  input: Type.Object({
    ip: field.text("An IPv4 or IPv6 address, without a zone.", { minLength: 2, maxLength: 45 }),
  }),
  output: Type.Object({
    ip: field.text("The address, in the form of RFC 5952."),
    reverse_name: field.text("The DNS name that was looked up (PTR)."),
    is_confirmed: field.nullableFlag(
      "Whether at least one name has the address; null if only a name without an answer, or one that was not checked, may have it.",
    ),
    names: field.rows("The names of the address, at most 10.", {
      name: field.text("The name."),
      is_confirmed: field.nullableFlag("Whether the name has the address; null if the DNS gave no answer."),
      is_generic: field.flag("Whether the name is made from the address."),
      ips: field.texts("The addresses of the name, of the same family, at most 50."),
    }),
    problems: problemList,
  }),
  examples: storedExamples(stored, answers),
  async run(input, { ports: { dns, timer } }) {
    const ip = parseAddress(input.ip)
    if (ip === null) return reject("ip", "must be an IPv4 or IPv6 address, such as 192.0.2.1 or 2001:db8::1")
    const reverse_name = toReverseName(ip)
    const { all, checked } = await withTimeLimit(timer, dnsLimitMs, async (signal) => {
      const written = requireRecords(await dns.resolve(reverse_name, "PTR", signal), reverse_name)
      const all = new Set(written.map((name) => name.toLowerCase()))
      const names = [...all].slice(0, maxNames)
      return { all, checked: await Promise.all(names.map((name) => check(name, ip, dns, signal))) }
    })
    const [problems, add] = newProblems(checked.flatMap((one) => one.problems))
    if (all.size === 0) add("no_name", reverse_name, "The address has no name.")
    if (all.size > 1) add("several_names", reverse_name, `The address has ${all.size} names.`)
    if (all.size > maxNames)
      add("names_left_out", reverse_name, `${all.size - maxNames} names were not checked.`)
    const names = checked.map(({ name }) => name)
    return {
      ...{ ip: ip.toString(), reverse_name },
      is_confirmed:
        names.some(({ is_confirmed }) => is_confirmed) ||
        (all.size > maxNames || names.some(({ is_confirmed }) => is_confirmed === null) ? null : false),
      ...{ names, problems },
    }
  },
})

/** Looks a name up and compares its addresses with `ip`. */
async function check(name: string, ip: Address, dns: Dns, signal: AbortSignal) {
  const is_generic = isGeneric(name, ip)
  const [problems, add] = newProblems()
  if (is_generic) add("generic_name", name, "The name is made from the address.")
  const result = (addresses: string[], is_confirmed: boolean | null) => ({
    name: { name, is_confirmed, is_generic, ips: addresses.slice(0, maxAddresses) },
    problems,
  })
  const wrong = name.split(".").find(isWrongLabel)
  if (wrong !== undefined) {
    const cause = `'${showBytes(wrong, 63)}' is not letters, digits and hyphens between them`
    problems.push(problem("not_a_host", name, `No host can have this name: ${cause}.`))
  }
  // Underscores are in use, and names that end in a hyphen too, so these may still lead back.
  if (!/^[a-z\d_-]{1,63}(?:\.[a-z\d_-]{1,63})*$/.test(name)) return result([], false)
  const answer = await dns.resolve(name, isIpv6(ip) ? "AAAA" : "A", signal)
  if (answer.kind === "failure") {
    problems.push(problem("no_answer", name, `The DNS gave no answer (${answer.reason}).`))
    return result([], null)
  }
  const addresses = answer.kind === "records" ? [...answer.records] : []
  const is_confirmed = addresses.includes(ip.toString())
  if (!is_confirmed) problems.push(problem("not_confirmed", name, "The name does not have the address."))
  return result(addresses, is_confirmed)
}

/** Whether no name of a host can have this label (RFC 952, RFC 1123 §2.1). */
function isWrongLabel(label: string): boolean {
  return !/^[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?$/.test(label)
}

/**
 * Whether a name is made of the address, as providers name the lines of their customers: `host-192-0-2-7.example`. Mail servers
 * trust such names less. All four numbers of an IPv4 address count, in either order, with or without zeros before them, also in
 * hexadecimal; of IPv6 its last 32 bits.
 */
export function isGeneric(name: string, address: Address): boolean {
  const text = name.toLowerCase()
  const bytes = address.toByteArray().slice(-4)
  const hex = bytes.map((byte) => byte.toString(16).padStart(2, "0"))
  if (isIpv6(address)) {
    const nibbles = [...hex.join("")]
    return containsAny(text, [hex.join(""), nibbles.join("."), nibbles.toReversed().join("."), groups(hex)])
  }
  const padded = bytes.map((byte) => String(byte).padStart(3, "0"))
  if (
    containsAny(text, [
      hex.join(""),
      hex.toReversed().join(""),
      padded.join(""),
      padded.toReversed().join(""),
    ])
  )
    return true
  const numbers = bytes.map((byte) => `0{0,2}${byte}`)
  return [numbers, numbers.toReversed()].some((order) =>
    new RegExp(`(?<!\\d)${order.join("[^a-z\\d]")}(?!\\d)`).test(text),
  )
}

/** The last two groups as people write them: `cb07-14`. */
function groups(hex: readonly string[]): string {
  const [a = "", b = "", c = "", d = ""] = hex
  return `${trimZeros(a + b)}-${trimZeros(c + d)}`
}

function trimZeros(digits: string): string {
  return digits.replace(/^0{1,3}/, "")
}

function containsAny(text: string, parts: readonly string[]): boolean {
  return parts.some((part) => text.includes(part))
}
