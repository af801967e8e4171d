const colors: Readonly<Record<string, string>> = {
  debug: "\u001b[2m",
  info: "\u001b[32m",
  warn: "\u001b[33m",
  error: "\u001b[31m",
}
const reset = "\u001b[0m"

/**
 * A JSON line in a form for people: `12:00:00.000 info  request api=hmac status=200 …`, one line each. Only what has several
 * lines itself, such as the stack of a cause, follows on lines of its own, indented, so that no text can pass for a line.
 */
export function toReadable(line: string, { color }: { readonly color: boolean }): string {
  const { level, time, message, ...fields } = JSON.parse(line) as Record<string, unknown>
  const name = String(level)
  const shown = color ? `${colors[name] ?? ""}${name.padEnd(5)}${reset}` : name.padEnd(5)
  const entries = Object.entries(fields)
  const inline = entries
    .filter(([, value]) => !isLong(value))
    .map(([key, value]) => ` ${toText(key)}=${toText(value)}`)
  const below = entries.filter(([, value]) => isLong(value)).map(([key, value]) => indent(key, String(value)))
  return `${String(time).slice(11, 23)} ${shown} ${toText(message)}${inline.join("")}\n${below.join("")}`
}

function isLong(value: unknown): boolean {
  return typeof value === "string" && value.includes("\n")
}

function indent(key: string, value: string): string {
  const lines = value.split("\n").map((line) => `    ${withoutControls(line)}\n`)
  return `  ${toText(key)}:\n${lines.join("")}`
}

/** Bare where nothing in it could be taken for something else, otherwise as JSON. */
function toText(value: unknown): string {
  if (typeof value === "string" && /^[\w.:/@+-][\w .:/@+-]*$/.test(value)) return value
  return withoutControls(JSON.stringify(value) ?? "")
}

/** A carriage return or an escape sequence would overwrite what a terminal has shown before. */
function withoutControls(text: string): string {
  return text.replace(/\p{Cc}/gu, (character) => {
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`
  })
}
