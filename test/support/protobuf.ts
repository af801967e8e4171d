/** One field of a protobuf message: its number, and its value by its wire type. */
type ProtobufField = readonly [field: number, value: bigint | Uint8Array]

/** Reads the fields of a protobuf message. Numbers, of a fixed size or not, are bigint. */
export function* readFields(bytes: Uint8Array): Generator<ProtobufField> {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  let place = 0

  function varint(): bigint {
    let value = 0n
    for (let shift = 0n; ; shift += 7n) {
      const byte = view.getUint8(place++)
      value |= BigInt(byte & 0x7f) << shift
      if (byte < 0x80) return value
    }
  }
  function take(length: number): number {
    place += length
    return place - length
  }

  while (place < bytes.length) {
    const tag = Number(varint())
    const type = tag & 7
    if (type === 0) yield [tag >> 3, varint()]
    else if (type === 1) yield [tag >> 3, view.getBigUint64(take(8), true)]
    else if (type === 5) yield [tag >> 3, BigInt(view.getUint32(take(4), true))]
    else if (type === 2) {
      const length = Number(varint())
      const start = take(length)
      yield [tag >> 3, bytes.subarray(start, start + length)]
    } else throw new Error(`unknown wire type ${type}`)
  }
}

/** The messages or bytes in a field that may repeat. */
export const bytesOf = (message: Uint8Array, field: number): Uint8Array[] =>
  [...readFields(message)].flatMap(([number, value]) =>
    number === field && value instanceof Uint8Array ? [value] : [],
  )

/** The number in a field; 0 without it. */
export function numberOf(message: Uint8Array, field: number): bigint {
  const found = [...readFields(message)].find(([number]) => number === field)?.[1] ?? 0n
  if (typeof found !== "bigint") throw new Error(`field ${field} is no number`)
  return found
}

/** The text in a field; empty without it. */
export const textOf = (message: Uint8Array, field: number): string =>
  new TextDecoder().decode(bytesOf(message, field)[0] ?? new Uint8Array())
