import { addressOf, type CodeCall } from "./code-call.ts"

/** The call as a command for a POSIX shell. */
export function toCurl(call: CodeCall): string {
  const key = quote(`x-api-key: ${call.key}`)
  if (call.method === "GET") return `curl -H ${key} ${quote(addressOf(call))}`
  const address = addressOf(call)
  const place = address === call.url ? address : quote(address)
  return `curl -H ${key} -H 'content-type: application/json' ${place} \\\n  -d ${quote(JSON.stringify(call.input))}`
}

/** Within single quotes, a shell takes every character as it is but the quote itself (POSIX, Shell Command Language §2.2.2). */
function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`
}
