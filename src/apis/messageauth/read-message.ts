import { reject } from "../contract.ts"
import { newProblems } from "./problems.ts"

const maxBytes = 1_048_576
const maxHeaderBytes = 262_144
const maxHeaderLines = 5_000

/**
 * The bytes of a message, from text or base64, with CRLF at the end of each line (RFC 5322 §2.1).
 * @throws InputRejected for `message`
 */
export function readMessage(message: string) {
  const given = toBytes(message)
  if (given.length > maxBytes) reject("message", "must have at most 1 MiB")
  const [problems, add] = newProblems()
  // Each byte is one character, so that no encoding is touched.
  const text = given.toString("latin1")
  if (/(?<!\r)\n/.test(text)) add("line_ends", "message", "Line feeds alone were read as ends of lines.")
  if (/\r(?!\n)/.test(text)) add("lone_returns", "message", "There are carriage returns without line feeds.")
  let lines = text.replace(/\r?\n/g, "\r\n")
  if (!lines.endsWith("\r\n")) {
    add("last_line", "message", "The last line has no end, which was added.")
    lines += "\r\n"
  }
  requireHeader(lines)
  return { bytes: Buffer.from(lines, "latin1"), problems }
}

/** Blanks before a pasted text are no part of it. */
function toBytes(message: string): Buffer {
  // Each message has a colon, which base64 has not.
  if (!/^[A-Za-z0-9+/\s]+(?:={1,2}\s*)?$/.test(message))
    return Buffer.from(message.replace(/^[\ufeff\s]+/, ""))
  return Buffer.from(message, "base64")
}

function requireHeader(text: string): void {
  const end = text.startsWith("\r\n") ? 0 : text.indexOf("\r\n\r\n")
  const header = end < 0 ? text : text.slice(0, end)
  if (!/^[!-9;-~]+[ \t]*:/.test(header))
    reject("message", "must begin with its header, such as From: ann@example.com, as text or in base64")
  if (header.length > maxHeaderBytes) reject("message", "must have a header of at most 256 KiB")
  // To look for the end of the header, the library tries each of them.
  if (/\r{100}/.test(header)) reject("message", "must not have 100 carriage returns in a row in its header")
  if (header.split("\r\n").length > maxHeaderLines)
    reject("message", `must have a header of at most ${maxHeaderLines.toLocaleString("en-US")} lines`)
}
