import { addressOf, type CodeCall } from "./code-call.ts"

/** The call as a command for a POSIX shell, an option a line, so that it reads well where lines are short. */
export function toCurl(call: CodeCall): string {
  const address = addressOf(call)
  const lines = [
    `curl ${address === call.url ? address : quote(address)}`,
    `-H ${quote(`x-api-key: ${call.key}`)}`,
    ...(call.method === "POST"
      ? ["-H 'content-type: application/json'", `-d ${quote(JSON.stringify(call.input))}`]
      : []),
  ]
  return lines.join(" \\\n  ")
}

/** Within single quotes, a shell changes no character; only the quote itself cannot be there (POSIX, 2.2.2). */
function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`
}
