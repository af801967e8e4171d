import { inflateRawSync } from "node:zlib"
import { reject } from "../contract.ts"

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
 * @param noteExtra gets the number of bytes after the archive, if there are any
 * @param maxBytes of the content; a larger one is refused before it is unpacked
 * @throws InputRejected for `report`
 */
export function readZip(archive: Buffer, maxBytes: number, noteExtra: (count: number) => void): Buffer {
  const files = entriesOf(archive, endOf(archive, noteExtra)).filter(
    ({ name }) => !name.endsWith("/") && !name.startsWith("__MACOSX/"),
  )
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

/** The sizes that the directory gives. If they are false, unpacking shows it. */
function entriesOf(archive: Buffer, end: number): readonly Entry[] {
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

/** Where the end of the directory is: 22 bytes, a comment of at most 65,535, and what a gateway may have added. */
function endOf(archive: Buffer, noteExtra: (count: number) => void): number {
  let last: number | undefined
  const mark = Buffer.from([0x50, 0x4b, 5, 6])
  for (let at = archive.lastIndexOf(mark); at >= 0; at = at > 0 ? archive.lastIndexOf(mark, at - 1) : -1) {
    if (at + endBytes > archive.length) continue
    const extra = archive.length - at - endBytes - archive.readUInt16LE(at + 20)
    if (extra === 0) return at
    if (extra > 0) last ??= at
  }
  if (last === undefined) return rejectBroken()
  noteExtra(archive.length - last - endBytes - archive.readUInt16LE(last + 20))
  return last
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
