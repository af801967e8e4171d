import { isIpv6 } from "../../values/ip.ts"
import {
  createSpecialPurposes,
  multicast,
  parseNetwork,
  type SpecialNetwork,
  type SpecialPurposes,
} from "./special-purpose.ts"

const columns = {
  networks: "Address Block",
  name: "Name",
  rfc: "RFC",
  date: "Allocation Date",
  reach: "Globally Reachable",
} as const

/**
 * Reads the special-purpose address registries as IANA publishes them: iana-ipv4-special-registry-1.csv and
 * iana-ipv6-special-registry-1.csv, one after the other. The date is that of the newest network, since the files tell no other.
 * @throws Error that names the bad row and says what is wrong
 */
export function readRegistries(text: string): SpecialPurposes {
  const [header = [], ...rows] = splitRows(text.replace(/^\ufeff/, ""))
  const missing = Object.values(columns).filter((name) => !header.includes(name))
  if (missing.length > 0) throw new Error(`expected the CSV of IANA, with the column ${missing.join(", ")}`)
  const networks: SpecialNetwork[] = []
  const dates: string[] = []
  for (const [index, row] of rows.entries()) {
    // The second file begins with the names of the columns too.
    if (row[0] === header[0]) continue
    const place = `row ${index + 2}`
    if (row.length !== header.length)
      throw new Error(`${place}: expected ${header.length} fields, as in the first row, not ${row.length}`)
    const field = (column: keyof typeof columns) => withoutNotes(row[header.indexOf(columns[column])] ?? "")
    const date = field("date")
    if (!/^\d{4}-(?:0[1-9]|1[0-2])$/.test(date))
      throw new Error(`${place}: '${date.slice(0, 20)}' is not a month such as 2027-03`)
    dates.push(date)
    networks.push(...readNetworks(place, field))
  }
  const hasBoth =
    networks.some(({ address }) => isIpv6(address)) && networks.some((one) => !isIpv6(one.address))
  if (!hasBoth) throw new Error("expected networks of IPv4 and of IPv6: put both files of IANA into this one")
  return createSpecialPurposes(dates.toSorted().at(-1) ?? null, [...networks, ...multicast])
}

function readNetworks(place: string, field: (column: keyof typeof columns) => string): SpecialNetwork[] {
  const name = field("name")
  if (name === "" || name.length > 200) throw new Error(`${place}: expected a name of at most 200 characters`)
  const written = field("rfc")
  const rfc = /RFC ?(\d+)/.exec(written)?.[1]
  const reach = field("reach")
  if (!["True", "False", "N/A", ""].includes(reach))
    throw new Error(`${place}: 'Globally Reachable' is '${reach.slice(0, 20)}', not True, False or N/A`)
  const isGloballyReachable = /^[TF]/.test(reach) ? reach === "True" : null
  return field("networks")
    .split(/,\s*/)
    .map((text) => {
      try {
        const network = parseNetwork(text)
        return {
          ...network,
          name,
          text,
          rfc: rfc ? `RFC ${rfc}` : written.slice(0, 200),
          isGloballyReachable,
        }
      } catch (error) {
        throw new Error(`${place}: ${error instanceof Error ? error.message : error}`)
      }
    })
}

/** `2002::/16 [3]` has a note at the end of the page; lines are broken in some fields. */
function withoutNotes(field: string): string {
  return field
    .replace(/\s*\[\d+\]/g, "")
    .replace(/\s+/g, " ")
    .trim()
}

/** The fields of each row that is not empty (RFC 4180). */
function splitRows(text: string): string[][] {
  const rows: string[][] = []
  let row: string[] = []
  for (const [, quoted, plain = "", end] of text.matchAll(/(?:"((?:[^"]|"")*)"|([^,\r\n]*))(,|\r?\n|$)/g)) {
    if (plain.startsWith('"'))
      throw new Error(`row ${rows.length + 1}: a quote does not end before a comma or the line`)
    row.push(quoted?.replaceAll('""', '"') ?? plain)
    if (end === ",") continue
    if (row.some((field) => field !== "")) rows.push(row)
    row = []
  }
  return rows
}
