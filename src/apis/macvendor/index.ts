import { Type } from "@sinclair/typebox"
import { dataDate } from "../../values/data-list.ts"
import { choice, defineApi, nullable, nullableText, premium, reject } from "../contract.ts"
import { field, storedExamples } from "../shared.ts"
import answers from "./answers.json"
import stored from "./examples.json"
import facts from "./list-facts.json"
import { findAssignment, type Vendors } from "./vendor-list.ts"
import path from "./vendors.zst" with { type: "file" }

/** The digits of a prefix of 24 bits. */
const leastDigits = 6
const bitsOf: Readonly<Record<number, 48 | 64>> = { 12: 48, 16: 64 }
const forms = [
  /^[0-9A-F]{6,16}$/,
  /^[0-9A-F]{2}(?:([:. -])[0-9A-F]{2})(?:\1[0-9A-F]{2}){1,6}(?:\1[0-9A-F])?$/,
  /^[0-9A-F]{4}(?:([:.-])[0-9A-F]{4}){1,3}$/,
  /^[0-9A-F]{6}([:-])[0-9A-F]{1,6}$/,
  // Some systems leave out leading zeros.
  /^[0-9A-F]{1,2}(?::[0-9A-F]{1,2}){5}$/,
]

/**
 * Reads a MAC address as systems write it: `00:00:5E:00:53:01`, `00-00-5E-00-53-01`, `0000.5e00.5301`, `00005E-005301`,
 * `00005E005301`, `0:0:5e:0:53:1`; or its beginning of at least six digits. Null for any other text.
 * @returns its hexadecimal digits, in upper case; 48 bits (EUI-48) or 64 (EUI-64), null for the beginning of an address
 */
export function parseMac(text: string) {
  const upper = text.trim().toUpperCase()
  if (!forms.some((form) => form.test(upper))) return null
  const digits = /^[0-9A-F]{1,2}(?::[0-9A-F]{1,2}){5}$/.test(upper)
    ? upper
        .split(":")
        .map((byte) => byte.padStart(2, "0"))
        .join("")
    : upper.replace(/[^0-9A-F]/g, "")
  return digits.length < leastDigits ? null : { digits, bits: bitsOf[digits.length] ?? null }
}

/** The digits in pairs: `00:00:5E`. */
export function formatMac(digits: string): string {
  return digits.replace(/..(?=.)/g, "$&:")
}

let lines: Promise<Buffer> | null = null

/** The built-in list. The first call unpacks it, in a thread of the runtime. It takes 3.7 MB then. */
export const builtInVendors: Vendors = {
  date: facts.date,
  lines() {
    lines ??= unpack()
    return lines
  },
}

async function unpack(): Promise<Buffer> {
  const { resolve } = await import("node:path")
  // In the package for Bun the path is relative to this module; elsewhere it is absolute.
  return Bun.zstdDecompress(await Bun.file(resolve(import.meta.dir, path)).bytes())
}

const registries = ["MA-L", "MA-M", "MA-S", "IAB"] as const
/** The name under which the IEEE divides a block of 24 bits among smaller organizations. */
const divider = "IEEE Registration Authority"
const hidden = "Private"

/** The API with a list of vendors, such as a newer one that the operator configured. */
export function createMacvendor(vendors: Vendors) {
  const { date } = vendors
  return defineApi({
    id: "macvendor",
    title: "MAC address vendor",
    category: "identity",
    keywords: [
      "OUI",
      "IEEE",
      "network card",
      "manufacturer",
      "Ethernet",
      "Wi-Fi",
      "hardware address",
      "EUI-48",
      "device",
    ],
    description:
      "Finds the organization to which the IEEE has assigned the first part of a MAC address. Also tells whether it is a group address, and whether software chose it, as phones do.",
    method: "GET",
    credits: 1,
    lists: [{ name: "mac-vendors", date }],
    input: Type.Object({
      mac: field.text(
        "The address, of 48 or 64 bits (EUI-64), or at least its first six hexadecimal digits: `00:00:5E:00:53:01`, `00-00-5e-00-53-01`, `0000.5e00.5301`, `00005e005301` or `00005e`.",
        { minLength: 6, maxLength: 40 },
      ),
    }),
    output: Type.Object({
      mac: field.text("The address in upper case, with colons."),
      bits: field.nullableInteger(
        "How many bits the address has: 48 or 64; null if only the beginning was given.",
      ),
      is_found: field.flag("Whether the beginning of the address is assigned to an organization."),
      organization: nullableText(
        "The organization; null if none was found, or if it does not publish its name.",
      ),
      is_private: field.flag("Whether the organization does not publish its name."),
      prefix: nullableText("The longest prefix of the address that is assigned; null without one."),
      registry: nullable(choice(registries, { description: "The registry." }), {
        description:
          "The registry of the IEEE that has the prefix: `MA-L` (24 bits), `MA-M` (28), `MA-S` (36) or `IAB` (36, closed in 2014); null without a prefix.",
      }),
      is_divided: field.flag(
        "Whether the IEEE divides the first 24 bits among several organizations, and the bits after them are missing or not assigned.",
      ),
      is_group: field.flag("Whether it is a group address (multicast)."),
      is_broadcast: field.flag("Whether it is the broadcast address, FF:FF:FF:FF:FF:FF."),
      is_locally_administered: field.flag(
        "Whether software chose the address, as phones do to hide theirs. Few such prefixes are assigned.",
      ),
      data_date: dataDate("the IEEE's list"),
      organization_address: premium(
        field.nullableTexts("The lines of the organization's address; null if it is not published."),
      ),
    }),
    examples: storedExamples(stored, answers),
    async run({ mac }) {
      const { digits, bits } =
        parseMac(mac) ??
        reject("mac", "must be a MAC address such as 00:00:5E:00:53:01, or six or more of its digits")
      const first = Number.parseInt(digits.slice(0, 2), 16)
      // With few exceptions, the prefix of a group address is assigned without the group bit (IEEE 802, 8.2.2).
      const individual = (first & 0xfe).toString(16).toUpperCase().padStart(2, "0") + digits.slice(2)
      const assigned = (await findAssignment(digits, vendors)) ?? (await findAssignment(individual, vendors))
      const isDivided = assigned?.organization === divider
      const found = isDivided ? null : assigned
      const isPrivate = found?.organization === hidden
      return {
        mac: formatMac(digits),
        bits,
        is_found: found !== null,
        organization: isPrivate ? null : (found?.organization ?? null),
        is_private: isPrivate,
        prefix: found && formatMac(found.prefix),
        registry: found && registryOf(found.prefix),
        is_divided: isDivided,
        is_group: (first & 1) === 1,
        is_broadcast: /^F{12}$|^F{16}$/.test(digits),
        is_locally_administered: (first & 2) === 2,
        data_date: date,
        organization_address: found !== null && found.address.length > 0 ? [...found.address] : null,
      }
    },
  })
}

function registryOf(prefix: string): (typeof registries)[number] {
  if (prefix.length === 6) return "MA-L"
  if (prefix.length === 7) return "MA-M"
  return prefix.startsWith("0050C2") || prefix.startsWith("40D855") ? "IAB" : "MA-S"
}

/** The API with the built-in list. */
export const macvendor = createMacvendor(builtInVendors)
