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

/**
 * Within single quotes, a shell changes no character, and only the quote itself cannot be there (POSIX, Shell Command Language
 * §2.2.2).
 */
function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`
}
