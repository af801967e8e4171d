import { inflateRawSync } from "node:zlib"
import { InputRejected, type RunOf, reject } from "../contract.ts"
import { readAggregate } from "./aggregate.ts"
import { Findings } from "./findings.ts"
import type { mailreportparser } from "./index.ts"
import { Totals } from "./rows.ts"
import { Sources } from "./sources.ts"
import { readTlsReport } from "./tls-report.ts"
import { readZip, rejectTooLarge } from "./zip-file.ts"

export const run: RunOf<typeof mailreportparser> = async ({ report }, { ports: { dns, timer }, premium }) => {
  const findings = new Findings()
  const totals = new Totals()
  const sources = new Sources()
  const text = openFile(report, findings)
  const { rows, left_out, tls_policies, ...fields } = text.startsWith("<")
    ? ofAggregate(readAggregate(text, findings, totals, sources))
    : ofTls(readTlsReport(text, findings, totals, sources))
  return {
    is_valid: findings.isValid,
    problems: findings.list(),
    ...fields,
    totals: totals.list(rows.length + tls_policies.length + left_out),
    rows,
    tls_policies,
    rows_left_out: left_out,
    sources: premium ? await sources.list(dns, timer) : [],
  }
}

function ofAggregate({ list, leftOut, ...fields }: ReturnType<typeof readAggregate>) {
  return { kind: "dmarc" as const, ...fields, rows: list, tls_policies: [], left_out: leftOut }
}

function ofTls({ list, leftOut, ...fields }: ReturnType<typeof readTlsReport>) {
  const none = { contact_details: null, generator: null, errors: [], published: null }
  return {
    ...{ kind: "tls" as const, standard: "rfc8460" as const },
    ...{ ...fields, ...none, rows: [], tls_policies: list, left_out: leftOut },
  }
}

/** About 9,000 rows. */
const maxBytes = 4_194_304

/**
 * The text of a report: as it is, or from the base64 of a file, which may be packed by gzip or ZIP.
 * @throws InputRejected for `report`
 */
function openFile(report: string, findings: Findings): string {
  if (/^[\ufeff\s]*[<{]/.test(report)) return report.trim()
  const file = unpack(decodeBase64(report), findings)
  if (file.length > maxBytes) return rejectTooLarge(maxBytes)
  const text = decodeText(file, findings).trim()
  if (isMail(text)) rejectMail()
  if (!/^[<{]/.test(text))
    reject("report", "must be a report in XML or JSON, plain, or packed once by gzip or ZIP")
  return text
}

function decodeBase64(text: string): Buffer {
  if (isMail(text.trimStart())) rejectMail()
  const digits = text.replace(/\s+/g, "")
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(digits))
    reject("report", "must be the base64 of a file, or a report in XML or JSON as text")
  return Buffer.from(digits, "base64")
}

/** Whether a text begins as a mail, or a part of one, does: with a field of a header, or a boundary. */
function isMail(text: string): boolean {
  return /^(?:From .*\r?\n|--\S+\r?\n)?[A-Za-z][A-Za-z\d-]*:[ \t\r\n]/.test(text)
}

function rejectMail(): never {
  reject(
    "report",
    "must be the attachment of the report mail, not the mail. Save the attachment (.xml, .gz, .zip or .json), and send its base64",
  )
}

function unpack(file: Buffer, findings: Findings): Buffer {
  const noteExtra = (count: number) =>
    findings.add("extra_bytes", "report", `${count} bytes after the end of the file were ignored.`)
  if (file[0] === 0x50 && file[1] === 0x4b) return readZip(file, maxBytes, noteExtra)
  return isGzip(file, 0) ? readGzip(file, noteExtra) : file
}

function isGzip(file: Buffer, at: number): boolean {
  return file[at] === 0x1f && file[at + 1] === 0x8b
}

const maxMembers = 100

/** Unpacks the members of a gzip file (RFC 1952 §2.2). Bytes after them are noted, unless they are zeros, as tapes add them. */
function readGzip(file: Buffer, noteExtra: (count: number) => void): Buffer {
  const parts: Buffer[] = []
  let at = 0
  let left = maxBytes
  while (isGzip(file, at)) {
    const start = endOfHeader(file, at)
    const { buffer, engine } = inflate(file.subarray(start), left)
    at = start + engine.bytesWritten + 8
    if (at > file.length || file.readUInt32LE(at - 8) !== Bun.hash.crc32(buffer)) return rejectGzip()
    parts.push(buffer)
    left -= buffer.length
    if (parts.length > maxMembers) return rejectGzip()
  }
  if (file.subarray(at).some((byte) => byte !== 0)) noteExtra(file.length - at)
  return Buffer.concat(parts)
}

/** Where the data of a member begin: after ten bytes, and what its flags say. */
function endOfHeader(file: Buffer, at: number): number {
  const flags = file[at + 3] ?? 0
  let end = at + 10
  if (flags & 4) end += 2 + ((file[end] ?? 0) | ((file[end + 1] ?? 0) << 8))
  // A name and a comment end with a zero.
  for (const flag of [8, 16]) if (flags & flag) end = file.indexOf(0, end) + 1 || file.length
  return flags & 2 ? end + 2 : end
}

function inflate(packed: Buffer, maxOutputLength: number) {
  try {
    // With `info`, the result tells how many bytes were read, which the types do not know.
    const result: unknown = inflateRawSync(packed, {
      maxOutputLength: Math.max(maxOutputLength, 1),
      info: true,
    })
    return result as { readonly buffer: Buffer; readonly engine: { readonly bytesWritten: number } }
  } catch (error) {
    return error instanceof RangeError ? rejectTooLarge(maxBytes) : rejectGzip()
  }
}

function rejectGzip(): never {
  reject("report", "must be a complete gzip file; this one is broken")
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
    return new TextDecoder(label as ConstructorParameters<typeof TextDecoder>[0], { fatal })
  } catch {
    return reject("report", "must be in UTF-8, or in an encoding that browsers know")
  }
}
