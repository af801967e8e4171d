/** The signatures of the programs for macOS, which `build:all` makes without a Mac. */
import { describe, expect, test } from "bun:test"
import fc from "fast-check"
import { signMacho, troubleOfSignature } from "../scripts/macho.ts"

/** Where the commands are that the file below has: __TEXT, __LINKEDIT, LC_CODE_SIGNATURE. */
const [textAt, linkeditAt, signatureAt] = [32, 104, 176]

/** A Mach-O file of `limit` bytes and an old signature that fits nothing. `loader.h` has the structures. */
function machoOf(limit: number, { oldBytes = 48, hasSignature = true } = {}): Uint8Array {
  const file = Buffer.alloc(limit + oldBytes)
  for (let at = 200; at < limit; at++) file[at] = (at * 31) % 251
  file.writeUInt32LE(0xfeedfacf, 0)
  file.writeUInt32LE(hasSignature ? 3 : 2, 16)
  const segment = (at: number, name: string, fileOffset: number, fileSize: number) => {
    file.writeUInt32LE(0x19, at)
    file.writeUInt32LE(72, at + 4)
    file.write(name, at + 8, "latin1")
    file.writeBigUInt64LE(BigInt(fileOffset), at + 40)
    file.writeBigUInt64LE(BigInt(fileSize), at + 48)
  }
  segment(textAt, "__TEXT", 0, 4_096)
  segment(linkeditAt, "__LINKEDIT", 4_096, limit + oldBytes - 4_096)
  file.writeUInt32LE(0x1d, signatureAt)
  file.writeUInt32LE(16, signatureAt + 4)
  file.writeUInt32LE(limit, signatureAt + 8)
  file.writeUInt32LE(oldBytes, signatureAt + 12)
  return new Uint8Array(file)
}

const changed = (file: Uint8Array, at: number) => file.with(at, (file[at] ?? 0) ^ 1)

const limits = fc.integer({ min: 520, max: 2_000 }).map((sixteens) => sixteens * 16)

test("a signed program of any length has a signature that fits, and the same one each time", () => {
  fc.assert(
    fc.property(limits, (limit) => {
      const file = machoOf(limit)
      expect(troubleOfSignature(file)).not.toBeNull()
      const signed = signMacho(file, "penknife")
      expect(troubleOfSignature(signed)).toBeNull()
      expect(signMacho(signed, "penknife")).toEqual(signed)
    }),
  )
})

test("a signed program is refused with one byte changed, wherever it is signed", () => {
  const signed = signMacho(machoOf(9_600), "penknife")
  fc.assert(
    // Not in the load commands, which tell where the signature is.
    fc.property(fc.integer({ min: 200, max: 9_599 }), (at) => {
      expect(troubleOfSignature(changed(signed, at))).toBe(`The hash of page ${at >> 12} is wrong.`)
    }),
  )
})

test("a signed program keeps its code, names itself, and its last segment ends with the file", () => {
  const file = machoOf(9_600)
  const signed = Buffer.from(signMacho(file, "penknife"))
  expect(signed.subarray(200, 9_600).equals(file.subarray(200, 9_600))).toBe(true)
  expect(signed.toString("latin1", 9_600)).toContain("penknife\0")
  expect(Number(signed.readBigUInt64LE(linkeditAt + 48))).toBe(signed.length - 4_096)
  expect(Number(signed.readBigUInt64LE(linkeditAt + 32))).toBe(16_384)
})

describe("the check tells", () => {
  const signed = signMacho(machoOf(9_600), "penknife")

  test.each([
    [
      "bytes after the signature",
      new Uint8Array([...signed, 0]),
      "The signature ends at 9824 of 9825 bytes.",
    ],
    ["a signature of something else", machoOf(9_600), "The signature has no super blob."],
    ["one without a directory", changed(signed, 9_623), "The signature has no code directory."],
    // As Bun leaves it for darwin-x64: the signature of a smaller program.
    ["one of a smaller program", changed(signed, 9_655), "The signature covers 9601 bytes of 9600."],
  ])("%s", (_, file, trouble) => expect(troubleOfSignature(file)).toBe(trouble))

  test("what cannot be signed", () => {
    expect(() => signMacho(Buffer.from("#!/bin/sh\n".repeat(9)), "penknife")).toThrow("no 64-bit Mach-O")
    expect(() => signMacho(machoOf(9_600, { hasSignature: false }), "penknife")).toThrow(
      "no LC_CODE_SIGNATURE",
    )
  })
})
