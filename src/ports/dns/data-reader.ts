import { type NamesOfMessage, readName, type WireName } from "./name.ts"

/**
 * Reads the data of one record, field by field. Every method throws RangeError when the data are too short or not of that form.
 */
export class DataReader {
  readonly #message: Buffer
  readonly #end: number
  #at: number
  readonly #start: number
  /** The names that were read: where they are, and their full form. */
  readonly #names: { readonly from: number; readonly to: number; readonly wire: WireName }[] = []
  readonly #ofMessage: NamesOfMessage | undefined

  /**
   * @param at the offset of RDLENGTH, which `length` bytes of data follow
   * @param names the names of the message that were read
   */
  constructor(message: Buffer, at: number, length: number, names?: NamesOfMessage) {
    this.#message = message
    this.#ofMessage = names
    this.#start = at + 2
    this.#at = this.#start
    this.#end = this.#at + length
  }

  get left(): number {
    return this.#end - this.#at
  }

  /** An unsigned integer of so many bytes. */
  integer(bytes: 1 | 2 | 4): number {
    this.#require(bytes)
    this.#at += bytes
    return this.#message.readUIntBE(this.#at - bytes, bytes)
  }

  bytes(count: number): Buffer {
    this.#require(count)
    this.#at += count
    return this.#message.subarray(this.#at - count, this.#at)
  }

  #require(count: number): void {
    if (count > this.left) throw new RangeError("data too short")
  }

  rest(): Buffer {
    return this.bytes(this.left)
  }

  /** A length of one byte, and as many bytes. */
  counted(): Buffer {
    return this.bytes(this.integer(1))
  }

  /** A name in its own spelling. Data of newer types must not compress it (RFC 3597 §4). */
  name(mayBeCompressed: boolean): WireName {
    const { wire, end } = readName(this.#message, this.#at, this.#ofMessage)
    if (end > this.#end) throw new RangeError("name longer than the data")
    if (!mayBeCompressed && end - this.#at !== wire.length) throw new RangeError("compressed name")
    this.#names.push({ from: this.#at, to: end, wire })
    this.#at = end
    return wire
  }

  /** Everything must have been read. */
  finish(): void {
    if (this.left !== 0) throw new RangeError("data too long")
  }

  /** Marks the place for {@link wire}. */
  mark(): ReaderMark {
    return { at: this.#at, names: this.#names.length }
  }

  /** The bytes read since the mark, or since the start, with names in full. */
  wire({ at, names }: ReaderMark = { at: this.#start, names: 0 }): Buffer {
    const parts: Buffer[] = []
    let from = at
    for (const name of this.#names.slice(names)) {
      parts.push(this.#message.subarray(from, name.from), Buffer.from(name.wire, "latin1"))
      from = name.to
    }
    const rest = this.#message.subarray(from, this.#at)
    return parts.length === 0 ? rest : Buffer.concat([...parts, rest])
  }
}

/** A place in the data of a record. */
interface ReaderMark {
  readonly at: number
  readonly names: number
}
