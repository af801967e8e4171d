import type { DnsType } from "../../apis/contract.ts"
import { fromBytes, parseIpv4, parseIpv6 } from "../../values/ip.ts"
import type { DataReader } from "./data-reader.ts"
import { toDottedName } from "./name.ts"
import { parseName, printName, quoteText, unescapeText, type Word } from "./record-text.ts"
import { typeNameOf, typeNumberOf } from "./record-types.ts"

/** One field of a record's data: how it is read from a message, and how a zone file writes it. */
export interface Field<Value> {
  /** Throws RangeError when the data do not have that form. */
  read(reader: DataReader): Value
  /** @param wire gives the bytes of the field, with names in full */
  print(wire: () => Buffer, value: Value): string
  /** Takes its words from the list, and returns the bytes. Throws an Error that goes on after "must have". */
  parse(words: Word[]): Buffer
}

/** An unsigned integer of so many bytes. */
export function integer(bytes: 1 | 2 | 4): Field<number> {
  const most = 256 ** bytes - 1
  return {
    read: (reader) => reader.integer(bytes),
    print: (_, value) => String(value),
    parse(words) {
      const text = take(words)
      if (!/^\d{1,10}$/.test(text) || Number(text) > most)
        throw new Error(`a number from 0 to ${most}, not ${JSON.stringify(text)}`)
      const wire = Buffer.alloc(bytes)
      wire.writeUIntBE(Number(text), 0, bytes)
      return wire
    },
  }
}

/** A domain name. */
export function name(mayBeCompressed: "may be compressed" | "in full"): Field<string> {
  return {
    read: (reader) => toDottedName(reader.name(mayBeCompressed === "may be compressed")),
    print: (wire) => printName(wire().toString("latin1")),
    parse: (words) => Buffer.from(parseName(take(words)), "latin1"),
  }
}

/** An address of 4 or 16 bytes. */
export function address(bytes: 4 | 16): Field<string> {
  return {
    read: (reader) => fromBytes(reader.bytes(bytes)).toString(),
    print: (_, value) => value,
    parse(words) {
      const text = take(words)
      const found = bytes === 4 ? parseIpv4(text) : parseIpv6(text)
      if (!found) throw new Error(`an IPv${bytes === 4 ? 4 : 6} address, not ${JSON.stringify(text)}`)
      return Buffer.from(found.toByteArray())
    },
  }
}

/** A character-string: at most 255 bytes. */
export const string: Field<string> = {
  read: (reader) => reader.counted().toString("latin1"),
  print: (_, value) => quoteText(value),
  parse: (words) => counted(unescapeText(take(words))),
}

/** A character-string that zone files write without quotation marks, and that is not empty. */
export const tag: Field<string> = {
  read(reader) {
    const bytes = reader.counted()
    if (bytes.length === 0) throw new RangeError("empty tag")
    return bytes.toString("latin1")
  },
  print: (wire) => printName(wire().toString("latin1")).slice(0, -1),
  parse(words) {
    const text = unescapeText(take(words))
    if (text === "") throw new Error("a tag that is not empty")
    return counted(text)
  },
}

/** All character-strings to the end, joined (RFC 7208 §3.3). As bytes, since invalid UTF-8 would be lost. */
export const strings: Field<string> = {
  read(reader) {
    let text = ""
    while (reader.left > 0) text += reader.counted().toString("latin1")
    return text
  },
  print(wire) {
    const bytes = wire().toString("latin1")
    const texts: string[] = []
    for (let at = 0; at < bytes.length; at += 1 + bytes.charCodeAt(at))
      texts.push(quoteText(bytes.slice(at + 1, at + 1 + bytes.charCodeAt(at))))
    return texts.join(" ")
  },
  // Longer strings are cut, as they can only be written in several.
  parse: (words) =>
    Buffer.concat(
      words
        .splice(0)
        .flatMap((word) => unescapeText(word.text).match(/.{1,255}/gs) ?? [""])
        .map(counted),
    ),
}

/** All bytes to the end, as one text. */
export const text: Field<string> = {
  read: (reader) => reader.rest().toString("latin1"),
  print: (_, value) => quoteText(value),
  parse: (words) => Buffer.from(unescapeText(take(words)), "latin1"),
}

/** All bytes to the end. Zone files may write them in several words. */
export function rest(encoding: "hex" | "base64"): Field<string> {
  return {
    read: (reader) => reader.rest().toString(encoding),
    print: (_, value) => (encoding === "hex" ? value.toUpperCase() : value),
    parse: (words) => fromDigits(joinRest(words), encoding),
  }
}

/** A length and bytes; `-` in zone files for none (RFC 5155 §3.3). */
export const salt: Field<string> = {
  read: (reader) => reader.counted().toString("hex"),
  print: (_, value) => (value === "" ? "-" : value.toUpperCase()),
  parse(words) {
    const digits = take(words)
    return withLength(fromDigits(digits === "-" ? "" : digits, "hex"))
  },
}

const hashDigits = "0123456789abcdefghijklmnopqrstuv"

/** A length and a hash, in base32hex without padding (RFC 5155 §3.3). */
export const hash: Field<string> = {
  read(reader) {
    const bytes = reader.counted()
    if (bytes.length === 0) throw new RangeError("empty hash")
    return toBase32(bytes)
  },
  print: (_, value) => value.toUpperCase(),
  parse(words) {
    const word = take(words).toLowerCase()
    if (!/^[0-9a-v]+$/.test(word)) throw new Error(`a hash in base32hex, not ${JSON.stringify(word)}`)
    const bits = [...word].map((digit) => hashDigits.indexOf(digit).toString(2).padStart(5, "0")).join("")
    const bytes = (bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2))
    return withLength(Buffer.from(bytes))
  },
}

function toBase32(bytes: Buffer): string {
  let digits = ""
  let bits = 0
  let count = 0
  for (const byte of bytes) {
    bits = ((bits << 8) | byte) & 0xfff
    for (count += 8; count >= 5; count -= 5) digits += hashDigits.charAt((bits >> (count - 5)) & 31)
  }
  return count === 0 ? digits : digits + hashDigits.charAt((bits << (5 - count)) & 31)
}

/** A record type. */
export const type: Field<DnsType> = {
  read: (reader) => typeNameOf(reader.integer(2)),
  print: (_, value) => value,
  parse: (words) => short(numberOfType(take(words))),
}

/** No name has that many types; a record of 9 kB could list all 65,536. */
const maxTypes = 100

/** The types that a name has, to the end of the data (RFC 4034 §4.1.2). */
export const types: Field<readonly DnsType[]> = {
  read(reader) {
    const found: DnsType[] = []
    let last = -1
    while (reader.left > 0 && found.length <= maxTypes) {
      const window = reader.integer(1)
      const bits = reader.counted()
      if (window <= last || bits.length === 0 || bits.length > 32) throw new RangeError("bad type bitmap")
      last = window
      for (let bit = 0; bit < bits.length * 8; bit++) {
        if (((bits[bit >> 3] ?? 0) << (bit & 7)) & 0x80) found.push(typeNameOf(window * 256 + bit))
      }
    }
    if (found.length > maxTypes) throw new RangeError("too many types")
    return found
  },
  print: (_, value) => value.join(" "),
  parse(words) {
    const numbers = words.splice(0).map((word) => numberOfType(word.text))
    const windows = Map.groupBy(new Set(numbers), (number) => number >> 8)
    const blocks = [...windows].sort(([one], [other]) => one - other)
    return Buffer.concat(
      blocks.map(([window, members]) => {
        const bits = Buffer.alloc(1 + ((Math.max(...members) & 255) >> 3))
        for (const number of members) {
          const at = (number & 255) >> 3
          bits[at] = (bits[at] ?? 0) | (0x80 >> (number & 7))
        }
        return Buffer.concat([Buffer.from([window]), withLength(bits)])
      }),
    )
  },
}

/** Seconds since the Unix epoch, modulo 2³²; in zone files `20260131235959` (RFC 4034 §3.2). */
export const time: Field<number> = {
  read: (reader) => reader.integer(4),
  print: (_, value) => new Date(value * 1000).toISOString().replace(/\.\d+Z|\D/g, ""),
  parse(words) {
    const word = take(words)
    const iso = word.replace(/^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)$/, "$1-$2-$3T$4:$5:$6Z")
    const seconds = Date.parse(iso) / 1000
    if (!(seconds >= 0)) throw new Error(`a time such as 20260131235959, not ${JSON.stringify(word)}`)
    const wire = Buffer.alloc(4)
    wire.writeUInt32BE(seconds % 2 ** 32)
    return wire
  },
}

function numberOfType(word: string): number {
  const number = typeNumberOf(word) ?? Number(/^TYPE(\d{1,5})$/.exec(word)?.[1] ?? Number.NaN)
  if (!(number <= 0xffff)) throw new Error(`a record type, not ${JSON.stringify(word)}`)
  return number
}

/** The next word. */
export function take(words: Word[]): string {
  const word = words.shift()
  if (word === undefined) throw new Error("more words")
  return word.text
}

/** The words that are left, as one. */
export function joinRest(words: Word[]): string {
  return words
    .splice(0)
    .map((word) => word.text)
    .join("")
}

/** Bytes of hexadecimal or base64 digits. */
export function fromDigits(digits: string, encoding: "hex" | "base64"): Buffer {
  const bytes = Buffer.from(digits, encoding)
  const isWhole =
    encoding === "hex" ? digits.length === 2 * bytes.length : bytes.toString("base64") === digits
  if (!isWhole) throw new Error(`${encoding === "hex" ? "hexadecimal" : "base64"} digits`)
  return bytes
}

/** The text as bytes, after its length. */
export function counted(text: string): Buffer {
  return withLength(Buffer.from(text, "latin1"))
}

function withLength(bytes: Buffer): Buffer {
  if (bytes.length > 255) throw new Error("at most 255 bytes in a text or number")
  return Buffer.concat([Buffer.from([bytes.length]), bytes])
}

/** A number in two bytes. */
export function short(number: number): Buffer {
  return Buffer.from([number >> 8, number & 255])
}
