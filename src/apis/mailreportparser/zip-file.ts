import { inflateRawSync } from "node:zlib"
import { reject } from "../contract.ts"

const endMark = 0x06054b50
const entryMark = 0x02014b50
const localMark = 0x04034b50
const endBytes = 22
const entryBytes = 46
const localBytes = 30
const isEncrypted = 1

interface Entry {
  readonly name: string
  readonly flags: number
  readonly method: number
  readonly crc: number
  readonly packedBytes: number
  readonly bytes: number
  readonly start: number
}

/**
 * The content of the one file in a ZIP archive (APPNOTE.TXT 6.3 §4.3), by its directory at the end. Files of macOS and folders
 * beside it do not count.
 * @param maxBytes of the content; a larger one is refused before it is unpacked
 * @throws InputRejected for `report`
 */
export function readZip(archive: Buffer, maxBytes: number): Buffer {
  const files = entriesOf(archive).filter(({ name }) => !name.endsWith("/") && !name.startsWith("__MACOSX/"))
  const [file] = files
  if (file === undefined) return reject("report", "must not be an empty ZIP archive")
  if (files.length > 1)
    reject("report", `must be a ZIP archive with one file, not ${files.length}. Send them one by one`)
  if (file.flags & isEncrypted) reject("report", "must not be an encrypted ZIP archive")
  const local = file.start
  if (local + localBytes > archive.length || archive.readUInt32LE(local) !== localMark) return rejectBroken()
  const start = local + localBytes + archive.readUInt16LE(local + 26) + archive.readUInt16LE(local + 28)
  const packed = archive.subarray(start, start + file.packedBytes)
  if (packed.length !== file.packedBytes) return rejectBroken()
  const content = unpack(file, packed, maxBytes)
  if (content.length !== file.bytes || Bun.hash.crc32(content) !== file.crc) return rejectBroken()
  return content
}

/** As the directory says. An archive that lies about its sizes is found out when it is unpacked. */
function entriesOf(archive: Buffer): readonly Entry[] {
  const end = endOf(archive)
  const count = archive.readUInt16LE(end + 10)
  let at = archive.readUInt32LE(end + 16)
  const entries: Entry[] = []
  for (let index = 0; index < count; index++) {
    if (at + entryBytes > end || archive.readUInt32LE(at) !== entryMark) return rejectBroken()
    const nameBytes = archive.readUInt16LE(at + 28)
    entries.push({
      name: archive.toString("latin1", at + entryBytes, at + entryBytes + nameBytes),
      flags: archive.readUInt16LE(at + 8),
      method: archive.readUInt16LE(at + 10),
      crc: archive.readUInt32LE(at + 16),
      packedBytes: archive.readUInt32LE(at + 20),
      bytes: archive.readUInt32LE(at + 24),
      start: archive.readUInt32LE(at + 42),
    })
    at += entryBytes + nameBytes + archive.readUInt16LE(at + 30) + archive.readUInt16LE(at + 32)
  }
  return entries
}

/** Where the end of the directory is: 22 bytes, and a comment of at most 65,535 after them. */
function endOf(archive: Buffer): number {
  const first = Math.max(0, archive.length - endBytes - 65_535)
  for (let at = archive.length - endBytes; at >= first; at--) {
    const isEnd = archive.readUInt32LE(at) === endMark
    if (isEnd && at + endBytes + archive.readUInt16LE(at + 20) === archive.length) return at
  }
  return rejectBroken()
}

function unpack({ method, bytes }: Entry, packed: Buffer, maxBytes: number): Buffer {
  if (bytes > maxBytes) return rejectTooLarge(maxBytes)
  if (method === 0) return packed
  if (method !== 8) return reject("report", "must be a ZIP archive that is packed by Deflate")
  try {
    return inflateRawSync(packed, { maxOutputLength: Math.max(bytes, 1) })
  } catch {
    return rejectBroken()
  }
}

function rejectBroken(): never {
  reject("report", "must be a complete ZIP archive; this one is broken")
}

/** @throws InputRejected always */
export function rejectTooLarge(maxBytes: number): never {
  reject("report", `must have at most ${maxBytes / 1_048_576} MiB when it is unpacked`)
}
