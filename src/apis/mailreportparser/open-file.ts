import { gunzipSync } from "node:zlib"
import { InputRejected, reject } from "../contract.ts"
import type { Findings } from "./findings.ts"
import { readZip, rejectTooLarge } from "./zip-file.ts"

/** About 9,000 rows. */
const maxBytes = 4_194_304

/**
 * The text of a report: as it is, or from the base64 of a file, which may be packed by gzip or ZIP.
 * @throws InputRejected for `report`
 */
export function openFile(report: string, findings: Findings): string {
  if (/^[\ufeff\s]*[<{]/.test(report)) return report.trim()
  const file = unpack(decodeBase64(report))
  if (file.length > maxBytes) return rejectTooLarge(maxBytes)
  const text = decodeText(file, findings).trim()
  if (!/^[<{]/.test(text))
    reject("report", "must be a report in XML or JSON, plain, or packed once by gzip or ZIP")
  return text
}

function decodeBase64(text: string): Buffer {
  const digits = text.replace(/\s+/g, "")
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(digits))
    reject("report", "must be the base64 of a file, or a report in XML or JSON as text")
  return Buffer.from(digits, "base64")
}

function unpack(file: Buffer): Buffer {
  if (file[0] === 0x50 && file[1] === 0x4b) return readZip(file, maxBytes)
  if (file[0] !== 0x1f || file[1] !== 0x8b) return file
  try {
    return gunzipSync(file, { maxOutputLength: maxBytes })
  } catch (error) {
    if (error instanceof RangeError) return rejectTooLarge(maxBytes)
    return reject("report", "must be a complete gzip file; this one is broken")
  }
}

/** Reads the encoding by a byte order mark, or the XML declaration; UTF-8 is usual (XML 1.0 appendix F). */
function decodeText(file: Buffer, findings: Findings): string {
  const isWide = (file[0] === 0xff && file[1] === 0xfe) || (file[0] === 0xfe && file[1] === 0xff)
  const wide = file[0] === 0xff ? "utf-16le" : "utf-16be"
  const named = /^<\?xml[^>]{0,200}?encoding\s*=\s*["']([\w.:-]{1,40})["']/.exec(
    file.toString("latin1", 0, 300),
  )
  const label = isWide ? wide : (named?.[1] ?? "utf-8")
  try {
    return createDecoder(label, true).decode(file)
  } catch (error) {
    if (error instanceof InputRejected) throw error
    findings.add("encoding", "report", `Some bytes are no text in ${label}.`)
    return createDecoder(label, false).decode(file)
  }
}

function createDecoder(label: string, fatal: boolean): TextDecoder {
  try {
    return new TextDecoder(label as Encoding, { fatal })
  } catch {
    return reject("report", "must be in UTF-8, or in an encoding that browsers know")
  }
}

type Encoding = ConstructorParameters<typeof TextDecoder>[0]
