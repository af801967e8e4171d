import { refuse } from "./zone-fields.ts"

const form = "of the form _port._protocol.host, such as _443._tcp.www.example.com"
const maxLabelLength = 63
/** RFC 1035 §2.3.4 allows 255 bytes on the wire, which are 253 in text without the trailing dot. */
const maxNameLength = 253
/** The transports that RFC 6698 §3 names. */
const protocols: readonly string[] = ["tcp", "udp", "sctp"]

/**
 * Reads the owner name of a TLSA record (RFC 6698 §3). The trailing dot may be left out.
 * @returns `name` is the whole name in the case given, with a trailing dot; `hostname` is the host without one
 * @throws InputRejected for `record`
 */
export function parseOwnerName(field: string) {
  const labels = toLabels(field)
  const [portLabel = "", protocolLabel = "", ...host] = labels
  const port = toPort(portLabel)
  const protocol = protocolLabel.slice(1).toLowerCase()
  if (!protocolLabel.startsWith("_") || !protocols.includes(protocol))
    refuse("must have _tcp, _udp or _sctp as the second label of the owner name")
  requireHost(host)
  return { name: `${labels.join(".")}.`, port, protocol, hostname: host.join(".") }
}

function toPort(label: string): number {
  if (label === "*") refuse("must name a port instead of the wildcard *, such as _443")
  const digits = /^_(\d+)$/.exec(label)?.[1]
  if (digits === undefined) refuse(`must begin with an owner name ${form}`)
  const port = Number(digits)
  if (port < 1 || port > 65_535) refuse("must have a port from 1 to 65535 in the owner name")
  // Clients look up _443 and never find a record at _0443.
  if (digits.startsWith("0")) refuse("must have a port without leading zeros in the owner name")
  return port
}

function requireHost(labels: readonly string[]): void {
  if (labels.length === 0) refuse(`must have the complete owner name, host included, ${form}`)
  for (const label of labels) {
    if (label === "*") refuse("must name one host: after the port, * is not a wildcard in the DNS")
    // Host names have no underscores (RFC 1123 §2.1), but some servers use them.
    if (!/^[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?$/i.test(label)) {
      const isHyphenAtEdge = /^[a-z0-9_-]+$/i.test(label)
      refuse(
        isHyphenAtEdge
          ? "must have no host label that begins or ends with a hyphen in the owner name"
          : "must have a host of letters, digits, hyphens and dots in the owner name",
      )
    }
  }
  if (/^\d+$/.test(labels.at(-1) ?? "")) refuse("must have a host name in the owner name, not an IP address")
}

function toLabels(field: string): string[] {
  if (/[^\p{ASCII}]/u.test(field))
    refuse("must have an ASCII owner name: write an internationalized domain in its xn-- form")
  const labels = field.includes("\\") ? splitEscaped(field) : field.split(".")
  if (labels.length > 1 && labels.at(-1) === "") labels.pop()
  if (labels.length === 1 && labels[0] === "") refuse(`must begin with an owner name ${form}`)
  if (labels.includes("")) refuse("must have no empty label in the owner name")
  if (labels.some((label) => label.length > maxLabelLength))
    refuse(`must have owner name labels of at most ${maxLabelLength} characters`)
  if (labels.join(".").length > maxNameLength)
    refuse(`must have an owner name of at most ${maxNameLength} characters`)
  return labels
}

/** Resolves `\X` and `\DDD` (RFC 1035 §5.1). An escaped dot becomes part of its label, which the host rules then refuse. */
function splitEscaped(field: string): string[] {
  const labels: string[] = []
  let label = ""
  for (const [token, decimal, literal] of field.matchAll(/\\(\d{3})|\\(.)|[^\\]|\\/gs)) {
    if (decimal !== undefined) label += String.fromCharCode(Number(decimal))
    else if (literal !== undefined) label += literal
    else if (token === ".") {
      labels.push(label)
      label = ""
    } else label += token
  }
  return [...labels, label]
}
