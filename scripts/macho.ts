/**
 * Code signatures of programs for macOS, which refuses to run a program whose signature does not fit. What Bun compiles for
 * darwin-x64 keeps the signature of `bun`, so each program gets a new one. It is ad hoc: it names no developer, and needs no Mac.
 * The structures are those of `osfmk/kern/cs_blobs.h` in Apple's xnu, and of `mach-o/loader.h`.
 */
import { createHash } from "node:crypto"

const magic = 0xfeedfacf
const segmentCommand = 0x19
const signatureCommand = 0x1d
const superBlobMagic = 0xfade0cc0
const directoryMagic = 0xfade0c02
/** With the fields of the executable segment. */
const directoryVersion = 0x20400
/** Ad hoc, and made with the program: `CS_ADHOC | CS_LINKER_SIGNED`. */
const directoryFlags = 0x20002
const directoryHeaderBytes = 88
const pageBytes = 4096
const hashBytes = 32
const sha256Type = 2

interface LoadCommands {
  /** Where the command is that tells the place of the signature. */
  readonly signature: number
  /** Where the command of each segment is, by its name. */
  readonly segments: ReadonlyMap<string, number>
}

/** @throws Error for what is no 64-bit Mach-O file, and for one without a signature */
function readCommands(file: Uint8Array, view: DataView): LoadCommands {
  if (file.length < 32 || view.getUint32(0, true) !== magic) throw new Error("This is no 64-bit Mach-O file.")
  const segments = new Map<string, number>()
  let signature: number | null = null
  let at = 32
  for (let left = view.getUint32(16, true); left > 0; left--) {
    const command = view.getUint32(at, true)
    if (command === signatureCommand) signature = at
    if (command === segmentCommand)
      segments.set(
        Buffer.from(file.subarray(at + 8, at + 24))
          .toString("latin1")
          .replace(/\0+$/, ""),
        at,
      )
    at += view.getUint32(at + 4, true)
  }
  if (signature === null) throw new Error("The Mach-O file has no LC_CODE_SIGNATURE.")
  return { signature, segments }
}

/**
 * Replaces the signature of a program by one of its own, ad hoc.
 * @param identifier the name of the program in the signature
 * @returns the whole file
 * @throws Error for a file that has no signature to replace
 */
export function signMacho(file: Uint8Array, identifier: string): Uint8Array {
  const old = viewOf(file)
  const { signature, segments } = readCommands(file, old)
  const [text, linkedit] = [segments.get("__TEXT"), segments.get("__LINKEDIT")]
  if (text === undefined || linkedit === undefined) throw new Error("The Mach-O file lacks a segment.")
  // Everything before the signature is signed. The signature ends the file, in __LINKEDIT.
  const limit = old.getUint32(signature + 8, true)
  const name = Buffer.from(`${identifier}\0`)
  const pages = Math.ceil(limit / pageBytes)
  const hashesAt = directoryHeaderBytes + name.length
  const directoryBytes = hashesAt + pages * hashBytes
  const blobBytes = 20 + directoryBytes
  const size = Math.ceil(blobBytes / 16) * 16
  const signed = new Uint8Array(limit + size)
  signed.set(file.subarray(0, limit))
  const view = viewOf(signed)
  // These sizes are in page 0, so they come before its hash.
  view.setUint32(signature + 12, size, true)
  const linkeditBytes = BigInt(signed.length) - view.getBigUint64(linkedit + 40, true)
  view.setBigUint64(linkedit + 48, linkeditBytes, true)
  view.setBigUint64(linkedit + 32, ((linkeditBytes + 16_383n) / 16_384n) * 16_384n, true)
  // The signature is big-endian: one super blob, with one code directory in it.
  const words = (from: number, ...all: readonly number[]) => {
    for (const [index, word] of all.entries()) view.setUint32(from + 4 * index, word)
  }
  const directory = limit + 20
  words(limit, superBlobMagic, blobBytes, 1, 0, directory - limit)
  words(directory, directoryMagic, directoryBytes, directoryVersion, directoryFlags)
  words(directory + 16, hashesAt, directoryHeaderBytes, 0, pages, limit)
  signed.set([hashBytes, sha256Type, 0, Math.log2(pageBytes)], directory + 36)
  view.setBigUint64(directory + 64, view.getBigUint64(text + 40, true))
  view.setBigUint64(directory + 72, view.getBigUint64(text + 48, true))
  // The segment is that of a main program.
  view.setBigUint64(directory + 80, 1n)
  signed.set(name, directory + directoryHeaderBytes)
  for (let page = 0; page < pages; page++)
    signed.set(hashOfPage(signed, page, pageBytes, limit), directory + hashesAt + page * hashBytes)
  return signed
}

/**
 * Says whether macOS would take the signature of a program: whether it covers all before it, and each hash is that of its page.
 * @returns the trouble in a sentence, or null
 * @throws Error for a file without a signature
 */
export function troubleOfSignature(file: Uint8Array): string | null {
  const view = viewOf(file)
  const { signature } = readCommands(file, view)
  const [start, size] = [view.getUint32(signature + 8, true), view.getUint32(signature + 12, true)]
  if (start + size !== file.length) return `The signature ends at ${start + size} of ${file.length} bytes.`
  if (view.getUint32(start) !== superBlobMagic) return "The signature has no super blob."
  let directories = 0
  for (let blob = 0; blob < view.getUint32(start + 8); blob++) {
    const at = start + view.getUint32(start + 16 + 8 * blob)
    if (view.getUint32(at) !== directoryMagic) continue
    directories++
    const [hashesAt, pages, limit] = [16, 28, 32].map((field) => view.getUint32(at + field)) as [
      number,
      number,
      number,
    ]
    if (limit !== start) return `The signature covers ${limit} bytes of ${start}.`
    if (view.getUint8(at + 37) !== sha256Type) return "The hashes of the signature are not SHA-256."
    const bytesAPage = 2 ** view.getUint8(at + 39)
    if (pages !== Math.ceil(limit / bytesAPage)) return `The signature has hashes of ${pages} pages.`
    for (let page = 0; page < pages; page++) {
      const from = at + hashesAt + page * hashBytes
      const written = file.subarray(from, from + hashBytes)
      if (!hashOfPage(file, page, bytesAPage, limit).equals(written))
        return `The hash of page ${page} is wrong.`
    }
  }
  return directories === 0 ? "The signature has no code directory." : null
}

/** The last page ends where the signature begins. */
function hashOfPage(file: Uint8Array, page: number, bytes: number, limit: number): Buffer {
  return createHash("sha256")
    .update(file.subarray(page * bytes, Math.min((page + 1) * bytes, limit)))
    .digest()
}

function viewOf({ buffer, byteOffset, byteLength }: Uint8Array): DataView {
  return new DataView(buffer, byteOffset, byteLength)
}
