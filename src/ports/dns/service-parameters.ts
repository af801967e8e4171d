import type { ServiceParameter } from "../../apis/contract.ts"
import { fromBytes, parseIpv4, parseIpv6 } from "../../values/ip.ts"
import { counted, type Field, fromDigits, short } from "./record-fields.ts"
import { quoteText, unescapeText } from "./record-text.ts"

/** Names of the parameters by their numbers (RFC 9460 §14.3.2, RFC 9461 §5). */
const keys: readonly string[] = [
  "mandatory",
  "alpn",
  "no-default-alpn",
  "port",
  "ipv4hint",
  "ech",
  "ipv6hint",
  "dohpath",
]

/** The parameters of SVCB and HTTPS records (RFC 9460 §2.2). Keys must be in ascending order, and mandatory ones present. */
export const serviceParameters: Field<readonly ServiceParameter[]> = {
  read(reader) {
    const found: ServiceParameter[] = []
    let last = -1
    while (reader.left > 0) {
      const number = reader.integer(2)
      if (number <= last) throw new RangeError("keys out of order")
      last = number
      const key = nameOf(number)
      found.push({ key, values: readValues(key, reader.bytes(reader.integer(2))) })
    }
    requireMandatory(found)
    return found
  },
  print: (_, parameters) => parameters.map(print).join(" "),
  parse(words) {
    const parsed = words.splice(0).map(({ text }) => {
      const [key = "", ...after] = text.split("=")
      return { number: numberOf(key), value: parseValue(key, after.join("=")) }
    })
    parsed.sort((one, other) => one.number - other.number)
    return Buffer.concat(parsed.flatMap(({ number, value }) => [short(number), short(value.length), value]))
  },
}

function nameOf(number: number): string {
  return keys[number] ?? `key${number}`
}

function numberOf(key: string): number {
  const known = keys.indexOf(key)
  if (known !== -1) return known
  const [, digits] = /^key(0|[1-9]\d{0,4})$/.exec(key) ?? []
  if (digits === undefined || Number(digits) > 65_535)
    throw new Error(`parameters such as alpn=h2 or key123=…, not ${JSON.stringify(key)}`)
  return Number(digits)
}

/** Throws RangeError when a value does not have the form of its key. */
function readValues(key: string, bytes: Buffer): string[] {
  if (key === "mandatory") return inOrder(pieces(bytes, 2).map((piece) => piece.readUInt16BE())).map(nameOf)
  if (key === "alpn") return readIds(bytes)
  if (key === "ipv4hint") return pieces(bytes, 4).map((piece) => fromBytes(piece).toString())
  if (key === "ipv6hint") return pieces(bytes, 16).map((piece) => fromBytes(piece).toString())
  if (key === "no-default-alpn" && bytes.length > 0) throw new RangeError("a value where none may be")
  if (key === "port" && bytes.length !== 2) throw new RangeError("wrong length of a port")
  if (key === "ech" && bytes.length === 0) throw new RangeError("empty value")
  if (key === "no-default-alpn") return []
  if (key === "port") return [String(bytes.readUInt16BE())]
  return [bytes.toString(key === "ech" ? "base64" : "latin1")]
}

/** Pieces of one size, one at least. */
function pieces(bytes: Buffer, size: number): Buffer[] {
  if (bytes.length === 0 || bytes.length % size !== 0) throw new RangeError("wrong length of a list")
  return Array.from({ length: bytes.length / size }, (_, index) =>
    bytes.subarray(index * size, (index + 1) * size),
  )
}

/** Protocol ids, each after its length (RFC 9460 §7.1.1). */
function readIds(bytes: Buffer): string[] {
  const ids: string[] = []
  for (let at = 0; at < bytes.length; at += 1 + bytes.readUInt8(at)) {
    const id = bytes.toString("latin1", at + 1, at + 1 + bytes.readUInt8(at))
    if (id === "" || id.length !== bytes[at]) throw new RangeError("bad protocol id")
    ids.push(id)
  }
  if (ids.length === 0) throw new RangeError("no protocol id")
  return ids
}

/** The keys that a client must know: in order, each once, without "mandatory" itself (RFC 9460 §8). */
function inOrder(numbers: readonly number[]): readonly number[] {
  if (numbers.some((number, index) => number <= (numbers[index - 1] ?? 0)))
    throw new RangeError("mandatory keys out of order")
  return numbers
}

function requireMandatory(found: readonly ServiceParameter[]): void {
  const mandatory = found.find(({ key }) => key === "mandatory")?.values ?? []
  const present = new Set(found.map(({ key }) => key))
  if (mandatory.some((key) => !present.has(key))) throw new RangeError("a mandatory key is missing")
  // RFC 9460 §7.1.1: without "alpn" it says nothing.
  if (present.has("no-default-alpn") && !present.has("alpn")) throw new RangeError("no-default-alpn alone")
}

function print({ key, values }: ServiceParameter): string {
  if (values.join("") === "") return key
  const isPlain = ["mandatory", "port", "ipv4hint", "ipv6hint", "ech"].includes(key)
  if (isPlain) return `${key}=${values.join(",")}`
  // Commas inside an item are escaped, and then the backslash for the text as a whole (RFC 9460 appendix A.1).
  const items = key === "alpn" ? values.map((value) => value.replace(/[\\,]/g, "\\$&")) : values
  return `${key}=${quoteText(items.join(","))}`
}

function parseValue(key: string, written: string): Buffer {
  const items = written.split(",")
  if (key === "mandatory") {
    const numbers = items.map(numberOf).sort((one, other) => one - other)
    return Buffer.concat(numbers.map(short))
  }
  if (key === "alpn") return Buffer.concat(splitItems(unescapeText(written)).map(counted))
  if (key === "port") {
    if (!/^\d{1,5}$/.test(written) || Number(written) > 65_535) throw new Error("a port from 0 to 65535")
    return short(Number(written))
  }
  if (key === "ipv4hint" || key === "ipv6hint")
    return Buffer.concat(items.map((item) => addressBytes(key, item)))
  return key === "ech" ? fromDigits(written, "base64") : Buffer.from(unescapeText(written), "latin1")
}

/** The items of a list, in which `\,` is a comma of an item. */
function splitItems(list: string): string[] {
  return (list.match(/(?:[^,\\]|\\.)+/gs) ?? []).map((item) => item.replace(/\\(.)/gs, "$1"))
}

function addressBytes(key: "ipv4hint" | "ipv6hint", text: string): Buffer {
  const address = key === "ipv4hint" ? parseIpv4(text) : parseIpv6(text)
  if (!address) throw new Error(`addresses in ${key}, not ${JSON.stringify(text)}`)
  return Buffer.from(address.toByteArray())
}
