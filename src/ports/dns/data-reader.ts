import { type LabelBudget, readName, type WireName } from "./name.ts"

/** Reads the data of one record, field by field. Every method throws RangeError when the data are too short or not of that form. */
export class DataReader {
  readonly #message: Buffer
  readonly #end: number
  #at: number
  /** What was read so far, with names in full. */
  readonly #wire: Buffer[] = []

  readonly #budget: LabelBudget | undefined

  /**
   * @param at the offset of RDLENGTH, which `length` bytes of data follow
   * @param budget the labels that may be read of the message
   */
  constructor(message: Buffer, at: number, length: number, budget?: LabelBudget) {
    this.#message = message
    this.#budget = budget
    this.#at = at + 2
    this.#end = this.#at + length
  }

  get left(): number {
    return this.#end - this.#at
  }

  /** An unsigned integer of so many bytes. */
  integer(bytes: 1 | 2 | 4): number {
    return this.bytes(bytes).readUIntBE(0, bytes)
  }

  bytes(count: number): Buffer {
    if (count > this.left) throw new RangeError("data too short")
    const bytes = this.#message.subarray(this.#at, this.#at + count)
    this.#at += count
    this.#wire.push(bytes)
    return bytes
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
    const { wire, end } = readName(this.#message, this.#at, this.#budget)
    if (end > this.#end) throw new RangeError("name longer than the data")
    if (!mayBeCompressed && end - this.#at !== wire.length) throw new RangeError("compressed name")
    this.#at = end
    this.#wire.push(Buffer.from(wire, "latin1"))
    return wire
  }

  /** Everything must have been read. */
  finish(): void {
    if (this.left !== 0) throw new RangeError("data too long")
  }

  /** What was read, with names in full. */
  wire(): Buffer {
    return Buffer.concat(this.#wire)
  }

  /** The number of pieces read so far, for {@link wireSince}. */
  get pieces(): number {
    return this.#wire.length
  }

  wireSince(pieces: number): Buffer {
    return Buffer.concat(this.#wire.slice(pieces))
  }
}
