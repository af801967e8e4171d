import { escapeLabel, splitLabels } from "../../values/dns-labels.ts"

/** A name in wire format (RFC 1035 §3.1) without compression, one character per byte. Text, to be compared and used as key. */
export type WireName = string

const maxNameBytes = 255
const maxLabelBytes = 63
/** A name has at most 127 labels, so more pointers are only made to cost time. */
const maxPointers = 127
const notAnByte = /[\u0100-\uffff]/

/**
 * A dotted name to wire format, in lower case. Null for the root, an empty label, a label over 63 bytes, over 255 bytes in
 * all (RFC 1035 §2.3.4), or a character above U+00FF. Every byte is legal in a label (RFC 2181 §11), a dot as `\.` and a
 * backslash as `\\`.
 */
export function toWireName(name: string): WireName | null {
  // An escape has one character more than its byte.
  if (name.length > 2 * maxNameBytes || notAnByte.test(name)) return null
  const labels = splitLabels(name)
  if (labels.length > 1 && labels.at(-1) === "") labels.pop()
  let wire = ""
  for (const label of labels) {
    if (label.length === 0 || label.length > maxLabelBytes) return null
    wire += String.fromCharCode(label.length) + label
  }
  return wire === "" || wire.length >= maxNameBytes ? null : foldCase(`${wire}\0`)
}

/** The same with `.` for the root. */
export function toWireNameOrRoot(name: string): WireName | null {
  return name === "." ? "\0" : toWireName(name)
}

/**
 * Wire format to dotted text without a trailing dot; a dot or backslash inside a label gets a backslash before it (RFC 1035
 * §5.1).
 */
export function toDottedName(wire: WireName): string {
  let name = ""
  for (let at = 0; wire.charCodeAt(at) > 0; ) {
    const next = at + 1 + wire.charCodeAt(at)
    name += (at === 0 ? "" : ".") + escapeLabel(wire.slice(at + 1, next))
    at = next
  }
  return name
}

/** The names of one message that were read. */
export interface NamesOfMessage {
  /** How many labels may still be read. Names that point at each other could have millions in one message. */
  labelsLeft: number
  /** The names that pointers lead to, by their offsets: most records of an answer point at the same one. */
  readonly pointedAt: Map<number, { readonly wire: WireName; readonly labels: number }>
}

/** Starts to read the names of a message. It needs at most some 6,000 records with names of 8 labels. */
export function namesOfMessage(): NamesOfMessage {
  return { labelsLeft: 50_000, pointedAt: new Map() }
}

/**
 * Reads the name at `offset` with its compression (RFC 1035 §4.1.4) and spelling, and returns the offset after it. Labels are
 * bytes: read as UTF-8, different names would become equal.
 * @throws RangeError when there is no valid name
 */
export function readName(message: Buffer, offset: number, names: NamesOfMessage = namesOfMessage()) {
  let wire = ""
  let end: number | null = null
  let at = offset
  let before = offset
  let pointed: { readonly at: number; readonly prefix: number; readonly labelsLeft: number } | null = null
  for (let pointers = 0; ; ) {
    const from = at
    at = endOfLabels(message, at, names)
    // Lengths stand between the labels as they do in the wire format.
    if (at > from) wire += message.toString("latin1", from, at)
    if (wire.length >= maxNameBytes) throw new RangeError("name too long")
    const length = byte(message, at)
    if (length === 0) {
      wire += "\0"
      if (pointed) {
        const labels = pointed.labelsLeft - names.labelsLeft
        names.pointedAt.set(pointed.at, { wire: wire.slice(pointed.prefix), labels })
      }
      return { wire, end: end ?? at + 1 }
    }
    if (length < 0xc0) throw new RangeError("unknown label type")
    end ??= at + 2
    at = ((length & 0x3f) << 8) | byte(message, at + 1)
    // A pointer must lead backwards, so loops are impossible.
    if (at >= before || ++pointers > maxPointers) throw new RangeError("bad compression pointer")
    const known = names.pointedAt.get(at)
    if (known !== undefined) {
      takeLabels(names, known.labels)
      if (wire.length + known.wire.length > maxNameBytes) throw new RangeError("name too long")
      return { wire: wire + known.wire, end }
    }
    pointed ??= { at, prefix: wire.length, labelsLeft: names.labelsLeft }
    before = at
  }
}

/** The offset after the labels that begin at `offset`, where the name ends or has a pointer. */
function endOfLabels(message: Buffer, offset: number, names: NamesOfMessage): number {
  let at = offset
  for (let length = byte(message, at); length > 0 && length <= maxLabelBytes; length = byte(message, at)) {
    takeLabels(names, 1)
    at += 1 + length
    if (at - offset > maxNameBytes) throw new RangeError("name too long")
  }
  return at
}

function takeLabels(names: NamesOfMessage, count: number): void {
  names.labelsLeft -= count
  if (names.labelsLeft < 0) throw new RangeError("too many labels")
}

/** ASCII letters to lower case (RFC 4343). Length bytes are at most 63 and so never letters. */
export function foldCase(wire: WireName): WireName {
  return /[A-Z]/.test(wire) ? wire.replace(/[A-Z]+/g, (letters) => letters.toLowerCase()) : wire
}

/** Whether `name` is `zone` or below it. Both must be in lower case. */
export function isWithin(name: WireName, zone: WireName): boolean {
  for (let at = 0; at < name.length; at += 1 + name.charCodeAt(at)) {
    if (name.length - at === zone.length) return name.endsWith(zone)
  }
  return false
}

/** The name without its first label; null for the root. */
export function parentOf(wire: WireName): WireName | null {
  const length = wire.charCodeAt(0)
  return length === 0 ? null : wire.slice(1 + length)
}

/**
 * The domain whose servers probably answer for a name. A guess by its labels: it decides only which questions wait for each
 * other.
 */
export function domainOf(wire: WireName): string {
  const labels = [...labelsOf(wire)]
  const [second = "", top = ""] = labels.slice(-2)
  const isUnderCountry = top.length === 2 && /^(?:..|com|net|org|gov|edu)$/.test(second)
  return labels.slice(top === "arpa" ? -5 : isUnderCountry ? -3 : -2).join(".")
}

function* labelsOf(wire: WireName): Generator<string> {
  for (let at = 0; wire.charCodeAt(at) > 0; ) {
    const next = at + 1 + wire.charCodeAt(at)
    yield wire.slice(at + 1, next)
    at = next
  }
}

function byte(message: Buffer, at: number): number {
  const value = message[at]
  if (value === undefined) throw new RangeError("name past the end")
  return value
}
