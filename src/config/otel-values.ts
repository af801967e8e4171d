import { ConfigError } from "./config-error.ts"

/** Reads `key=value,key=value`, percent-encoded, as the headers and resource attributes of OpenTelemetry are written. */
export function readPairs(text: string): Readonly<Record<string, string>> {
  const parts = text.split(",").map((part) => part.trim())
  return Object.fromEntries(parts.filter((part) => part !== "").map(readPair))
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
