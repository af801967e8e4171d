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
  for (const label of labelsOf(wire)) name += (name === "" ? "" : ".") + escapeLabel(label)
  return name
}

/** How many labels of names may still be read. Names that point at each other could have millions in one message. */
export interface LabelBudget {
  left: number
}

/** The most labels that one message may need: some 6,000 records with names of 8 labels. */
export function createLabelBudget(): LabelBudget {
  return { left: 50_000 }
}

/**
 * Reads the name at `offset` with its compression (RFC 1035 §4.1.4) and spelling, and returns the offset after it. Labels are
 * bytes: read as UTF-8, different names would become equal.
 * @throws RangeError when there is no valid name
 */
export function readName(
  message: Buffer,
  offset: number,
  budget: LabelBudget = createLabelBudget(),
): { wire: WireName; end: number } {
  let wire = ""
  let end: number | null = null
  let at = offset
  let before = offset
  for (let pointers = 0; ; ) {
    const length = byte(message, at)
    if (length === 0) return { wire: `${wire}\0`, end: end ?? at + 1 }
    if (length <= maxLabelBytes) {
      if (--budget.left < 0) throw new RangeError("too many labels")
      if (at + 1 + length > message.length) throw new RangeError("label past the end")
      wire += message.toString("latin1", at, at + 1 + length)
      if (wire.length >= maxNameBytes) throw new RangeError("name too long")
      at += 1 + length
    } else if (length >= 0xc0) {
      end ??= at + 2
      at = ((length & 0x3f) << 8) | byte(message, at + 1)
      // A pointer must lead backwards, so loops are impossible.
      if (at >= before || ++pointers > maxPointers) throw new RangeError("bad compression pointer")
      before = at
    } else {
      throw new RangeError("unknown label type")
    }
  }
}

/** ASCII letters to lower case (RFC 4343). Length bytes are at most 63 and so never letters. */
export function foldCase(wire: WireName): WireName {
  return wire.replace(/[A-Z]+/g, (letters) => letters.toLowerCase())
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
