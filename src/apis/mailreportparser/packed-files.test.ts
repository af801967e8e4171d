/** Reports in gzip files and ZIP archives, in the encodings that they have. */
import { expect, test } from "bun:test"
import { gzipSync } from "node:zlib"
import fc from "fast-check"
import { base64, read, record, refusal, seed, small, zip } from "../../../test/support/read-reports.ts"
import { InputRejected } from "../contract.ts"

test("reads the encodings that reports have", async () => {
  const text = small(record()).replace("<org_name>A", "<org_name>Étoile")
  const latin = Buffer.from(`<?xml version="1.0" encoding="ISO-8859-1"?>${text}`, "latin1")
  const wide = Buffer.from(`\ufeff${text}`, "utf16le")
  for (const file of [latin, wide, Buffer.from(`\ufeff${text}`)])
    expect(await read(base64(file))).toMatchObject({ organization: "Étoile", problems: [] })
  const broken = await read(base64(Buffer.from(text, "latin1")))
  expect(broken.problems.map(({ code }) => code)).toEqual(["encoding"])
  expect(await refusal(base64(`<?xml version="1.0" encoding="x-none"?>${text}`))).toContain("UTF-8")
})

// RFC 1952 §2.2: a gzip file is one or more members. Bytes after them, or after a ZIP archive, do not make it unreadable.
test("bytes after the end of a file are ignored, and noted unless they are zeros", async () => {
  const [one, two] = [small().slice(0, 60), small().slice(60)].map((part) => gzipSync(part))
  const archive = Buffer.from(zip(["r.xml", small()]), "base64")
  const files = [gzipSync(small()), Buffer.concat([one, two] as Buffer[]), archive]
  const tail = fc
    .uint8Array({ minLength: 1, maxLength: 40 })
    .filter((bytes) => bytes[0] !== 0x1f && bytes[0] !== 0x50)
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...files), tail, async (file, bytes) => {
      const { problems } = await read(base64(Buffer.concat([file, bytes])))
      const expected = bytes.every((byte) => byte === 0) && file[0] === 0x1f ? [] : [`${bytes.length} bytes`]
      const found = problems.filter(({ code }) => code === "extra_bytes")
      expect(found.map(({ message }) => message.slice(0, message.indexOf(" after")))).toEqual(expected)
    }),
    { seed, numRuns: 200 },
  )
  for (const file of files)
    expect((await read(base64(file))).problems).toEqual(
      expect.not.arrayContaining([expect.objectContaining({ code: "extra_bytes" })]),
    )
})

test("a name, a comment, a checksum and extra fields may stand in the header of a gzip file", async () => {
  const plain = gzipSync(small())
  const header = Buffer.from([...plain.subarray(0, 3), 4 + 8 + 16 + 2, ...plain.subarray(4, 10)])
  const file = Buffer.concat([header, Buffer.from("\x03\0abcr.xml\0note\0xx", "latin1"), plain.subarray(10)])
  expect((await read(base64(file))).kind).toBe("dmarc")
  const wrong = Buffer.from(plain)
  wrong.writeUInt32LE(1, wrong.length - 8)
  expect(await refusal(base64(wrong))).toContain("complete gzip")
})

test("a ZIP archive may have folders and files of macOS, and must not lie", async () => {
  const xml = small(record())
  expect((await read(zip(["a/", ""], ["a/r.xml", xml], ["__MACOSX/._r.xml", "x"]))).is_valid).toBe(true)
  const archive = Buffer.from(zip(["r.xml", xml]), "base64")
  const entry = archive.indexOf("PK\x01\x02", "latin1")
  const changed = (change: (copy: Buffer) => unknown) => {
    const copy = Buffer.from(archive)
    change(copy)
    return base64(copy)
  }
  for (const lie of [
    changed((copy) => copy.writeUInt32LE(1, entry + 16)),
    changed((copy) => copy.writeUInt32LE(10, entry + 24)),
    changed((copy) => copy.writeUInt32LE(xml.length + 1, entry + 24)),
    changed((copy) => copy.writeUInt32LE(4_000_000_000, entry + 42)),
    changed((copy) => copy.writeUInt32LE(4_000_000_000, entry + 20)),
  ])
    expect(await refusal(lie)).toContain("broken")
  expect(await refusal(changed((copy) => copy.writeUInt16LE(1, entry + 8)))).toContain("encrypted")
  expect(await refusal(changed((copy) => copy.writeUInt16LE(12, entry + 10)))).toContain("Deflate")
  // Any bytes that begin as an archive are read or refused.
  await fc.assert(
    fc.asyncProperty(fc.nat(archive.length - 1), fc.nat(255), async (at, byte) => {
      const report = changed((copy) => copy.writeUInt8(byte, at))
      await read(report).catch((error) => expect(error).toBeInstanceOf(InputRejected))
    }),
    { seed, numRuns: 300 },
  )
})
