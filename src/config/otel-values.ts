import { ConfigError } from "./config-error.ts"

/** Reads `key=value,key=value`, percent-encoded, as the headers and resource attributes of OpenTelemetry are written. */
export function readPairs(text: string): Readonly<Record<string, string>> {
  const parts = text.split(",").map((part) => part.trim())
  return Object.fromEntries(parts.filter((part) => part !== "").map(readPair))
}

/**
 * {@link readPairs} for HTTP headers. A wrong header would make the HTTP client refuse every message (RFC 9110 §5.1 and §5.5).
 * Framing headers would cut messages off.
 */
export function readHeaders(text: string): Readonly<Record<string, string>> {
  const headers = readPairs(text)
  for (const [name, value] of Object.entries(headers)) {
    if (!/^[\w!#$%&'*+.^`|~-]+$/.test(name) || !/^[\t\x20-\x7e\x80-\xff]*$/.test(value)) {
      throw new ConfigError("must have names and values that HTTP allows, without line breaks")
    }
    if (/^(content-length|transfer-encoding|connection)$/i.test(name)) {
      throw new ConfigError("must not have content-length, transfer-encoding or connection")
    }
  }
  return headers
}

/** Reads a whole number. */
export function wholeNumber(least: number, most: number): (text: string) => number {
  return (text) => {
    const value = /^\d+$/.test(text) ? Number(text) : Number.NaN
    if (!(value >= least && value <= most)) {
      throw new ConfigError(`must be a whole number from ${least} to ${most}`)
    }
    return value
  }
}

/** The message does not repeat the text, which may be a secret. */
function readPair(part: string): readonly [name: string, value: string] {
  const [, name = "", value = ""] = /^([^=]+)=(.*)$/s.exec(part) ?? []
  try {
    if (name !== "") return [decodeURIComponent(name.trim()), decodeURIComponent(value.trim())]
  } catch (thrown) {
    if (!(thrown instanceof URIError)) throw thrown
  }
  throw new ConfigError("must be a list such as name=value,name=value, percent-encoded")
}
