import { Type } from "@sinclair/typebox"
import { dataDate } from "../../values/data-list.ts"
import { choice, defineApi, nullable, premium, reject } from "../contract.ts"
import { builtInVendors } from "./built-in.ts"
import { examplesFor } from "./examples.ts"
import { formatMac, parseMac } from "./mac.ts"
import { findAssignment, type Vendors } from "./vendor-list.ts"

const registries = ["MA-L", "MA-M", "MA-S", "IAB"] as const
/** The name under which the IEEE divides a block of 24 bits among smaller organizations. */
const divider = "IEEE Registration Authority"
const hidden = "Private"

const text = (description: string) => nullable(Type.String(), { description })

/** The look-up in a list of vendors, such as a newer one that the operator configured. */
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
      "Finds the organization to which the IEEE has assigned the first part of a MAC address, and tells whether the address is for a group, or was chosen by software as phones do.",
    method: "GET",
    credits: 1,
    lists: [{ name: "mac-vendors", date }],
    input: Type.Object({
      mac: Type.String({
        minLength: 6,
        maxLength: 40,
        description:
          "The address, or its first six or more hexadecimal digits: `00:00:5E:00:53:01`, `00-00-5e-00-53-01`, `0000.5e00.5301`, `00005e005301` or `00005e`. Addresses of 64 bits (EUI-64) are read too.",
      }),
    }),
    output: Type.Object({
      mac: Type.String({ description: "The address in upper case, with colons." }),
      bits: nullable(Type.Integer(), {
        description: "How many bits the address has: 48 or 64; null for the beginning of one.",
      }),
      found: Type.Boolean({ description: "Whether its beginning is assigned to an organization." }),
      organization: text("The organization; null if there is none, or it does not publish its name."),
      is_private: Type.Boolean({ description: "Whether the organization does not publish its name." }),
      prefix: text("The longest beginning that is assigned; null without one."),
      registry: nullable(choice(registries, { description: "The registry." }), {
        description:
          "The registry of the IEEE that has the prefix: `MA-L` (24 bits), `MA-M` (28), `MA-S` (36) or `IAB` (36, closed in 2014); null without a prefix.",
      }),
      is_divided: Type.Boolean({
        description:
          "Whether the IEEE divides the first 24 bits among several organizations, and the rest names none of them, or was not given.",
      }),
      is_group: Type.Boolean({ description: "Whether it is the address of a group (multicast)." }),
      is_broadcast: Type.Boolean({ description: "Whether it is the address of all, FF:FF:FF:FF:FF:FF." }),
      is_locally_administered: Type.Boolean({
        description:
          "Whether software chose it, such as the changing addresses of phones. Few such prefixes are assigned.",
      }),
      data_date: dataDate("the list of the IEEE"),
      address: premium(
        nullable(Type.Array(Type.String()), {
          description: "The lines of the organization's address; null if it is not published.",
        }),
      ),
    }),
    examples: examplesFor(date),
    async run({ mac }) {
      const { digits, bits } =
        parseMac(mac) ??
        reject("mac", "must be a MAC address such as 00:00:5E:00:53:01, or six or more of its digits")
      const first = Number.parseInt(digits.slice(0, 2), 16)
      // The prefix of a group's address is assigned without the bit that says so (IEEE 802, 8.2.2), with few exceptions.
      const individual = (first & 0xfe).toString(16).toUpperCase().padStart(2, "0") + digits.slice(2)
      const assigned = (await findAssignment(digits, vendors)) ?? (await findAssignment(individual, vendors))
      const isDivided = assigned?.organization === divider
      const found = isDivided ? null : assigned
      const isPrivate = found?.organization === hidden
      return {
        mac: formatMac(digits),
        bits,
        found: found !== null,
        organization: isPrivate ? null : (found?.organization ?? null),
        is_private: isPrivate,
        prefix: found && formatMac(found.prefix),
        registry: found && registryOf(found.prefix),
        is_divided: isDivided,
        is_group: (first & 1) === 1,
        is_broadcast: /^F{12}$|^F{16}$/.test(digits),
        is_locally_administered: (first & 2) === 2,
        data_date: date,
        address: found !== null && found.address.length > 0 ? [...found.address] : null,
      }
    },
  })
}

function registryOf(prefix: string): (typeof registries)[number] {
  if (prefix.length === 6) return "MA-L"
  if (prefix.length === 7) return "MA-M"
  return prefix.startsWith("0050C2") || prefix.startsWith("40D855") ? "IAB" : "MA-S"
}

/** The look-up in the built-in list. */
export const macvendor = createMacvendor(builtInVendors)
