import type { DnsData, DnsType } from "../../apis/contract.ts"
import { DataReader } from "./data-reader.ts"
import * as field from "./record-fields.ts"
import { splitWords, type Word } from "./record-text.ts"
import { typeNumbers } from "./record-types.ts"
import { serviceParameters } from "./service-parameters.ts"

/** The data of one record type: how they are read from a message, printed and parsed. */
interface RecordFormat<Data> {
  /** Throws RangeError when the data do not have the form of the type. */
  read(reader: DataReader): Data
  /** The same with the data in a zone file's form. */
  readAll(reader: DataReader): { readonly data: Data; readonly text: string }
  /** The bytes of data in a zone file's form. Throws an Error that goes on after "must have". */
  parse(words: Word[]): Buffer
}

/** A format with one field, whose value is the data. */
function single<Value>({ read, print, parse }: field.Field<Value>): RecordFormat<Value> {
  const readOne = (reader: DataReader) => {
    const data = read(reader)
    reader.finish()
    return data
  }
  return {
    read: readOne,
    readAll(reader) {
      const data = readOne(reader)
      return { data, text: print(() => reader.wire(), data) }
    },
    parse,
  }
}

/** A format with several fields in the order of the data. */
function several<Data extends object>(
  fields: {
    readonly [Name in keyof Data]: field.Field<Data[Name]>
  },
): RecordFormat<Data> {
  const names = Object.keys(fields) as (keyof Data)[]
  const readFields = (reader: DataReader, take?: (text: string) => void) => {
    const data: Partial<Data> = {}
    for (const name of names) {
      const { read, print } = fields[name]
      const start = take && reader.mark()
      const value = read(reader)
      take?.(print(() => reader.wire(start), value))
      data[name] = value
    }
    reader.finish()
    // Each field has its value.
    return data as Data
  }
  return {
    read: (reader) => readFields(reader),
    readAll(reader) {
      const words: string[] = []
      const data = readFields(reader, (word) => words.push(word))
      return { data, text: words.filter((word) => word !== "").join(" ") }
    },
    parse: (words) => Buffer.concat(names.map((name) => fields[name].parse(words))),
  }
}

const byte = field.integer(1)
const short = field.integer(2)
const long = field.integer(4)
const hex = field.rest("hex")
const base64 = field.rest("base64")
const name = field.name("may be compressed")
const fullName = field.name("in full")
const binding = several<DnsData["SVCB"]>({
  priority: short,
  target: fullName,
  parameters: serviceParameters,
})

type NamedType = keyof typeof typeNumbers

const formats: { readonly [T in NamedType]: RecordFormat<DnsData[T]> } = {
  A: single(field.address(4)),
  AAAA: single(field.address(16)),
  TXT: single(field.strings),
  SPF: single(field.strings),
  MX: several({ preference: short, exchange: name }),
  PTR: single(name),
  CNAME: single(name),
  DNAME: single(fullName),
  NS: single(name),
  SOA: several({
    primaryServer: name,
    mailbox: name,
    serial: long,
    refresh: long,
    retry: long,
    expire: long,
    minimum: long,
  }),
  SRV: several({ priority: short, weight: short, port: short, target: name }),
  NAPTR: several({
    order: short,
    preference: short,
    flags: field.string,
    services: field.string,
    regexp: field.string,
    replacement: name,
  }),
  CAA: several({ flags: byte, tag: field.tag, value: field.text }),
  TLSA: several({ usage: byte, selector: byte, matchingType: byte, data: hex }),
  SSHFP: several({ algorithm: byte, fingerprintType: byte, fingerprint: hex }),
  DS: several({ keyTag: short, algorithm: byte, digestType: byte, digest: hex }),
  DNSKEY: several({ flags: short, protocol: byte, algorithm: byte, publicKey: base64 }),
  RRSIG: several({
    typeCovered: field.type,
    algorithm: byte,
    labels: byte,
    originalTtl: long,
    expiration: field.time,
    inception: field.time,
    keyTag: short,
    signer: fullName,
    signature: base64,
  }),
  NSEC: several({ nextName: fullName, types: field.types }),
  NSEC3: several({
    hashAlgorithm: byte,
    flags: byte,
    iterations: short,
    salt: field.salt,
    nextHash: field.hash,
    types: field.types,
  }),
  NSEC3PARAM: several({ hashAlgorithm: byte, flags: byte, iterations: short, salt: field.salt }),
  SVCB: binding,
  HTTPS: binding,
}

/** Any other type, and every type in the form of RFC 3597 §5: `\# 2 0A0B`. */
const unknown = single<string>({
  read: (reader) => reader.rest().toString("hex"),
  print: (_, digits) => `\\# ${digits.length / 2} ${digits.toUpperCase()}`.trim(),
  parse(words) {
    const [mark, length] = [field.take(words), field.take(words)]
    const bytes = field.fromDigits(field.joinRest(words), "hex")
    if (mark !== "\\#" || length !== String(bytes.length))
      throw new Error("\\#, the number of bytes, and the bytes in hexadecimal")
    return bytes
  },
})

/** The format of a type's data. */
export function formatOf<T extends DnsType>(type: T): RecordFormat<DnsData[T]>
export function formatOf(type: DnsType): RecordFormat<unknown> {
  return isNamed(type) ? formats[type] : unknown
}

/** The bytes of a record's data in a zone file's form. Throws an Error whose message goes on after "must have". */
export function parseData(type: DnsType, text: string): Buffer {
  const words = splitWords(text)
  const [first] = words
  const format = first?.text === "\\#" && !first.isQuoted ? unknown : formatOf(type)
  const wire = format.parse(words)
  if (words.length > 0) throw new Error(`nothing after its data, not ${JSON.stringify(words[0]?.text)}`)
  // A text that can be written is not always valid, such as parameters of SVCB twice.
  readData(type, wire)
  return wire
}

/**
 * Reads the data of a record that stands alone, with names in full. Throws RangeError when they do not have the form of the type.
 */
export function readData<T extends DnsType>(type: T, wire: Buffer) {
  const alone = Buffer.concat([Buffer.alloc(2), wire])
  return formatOf(type).readAll(new DataReader(alone, 0, wire.length))
}

function isNamed(type: DnsType): type is NamedType {
  return Object.hasOwn(typeNumbers, type)
}
