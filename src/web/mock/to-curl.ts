import { quote } from "../../code-examples/code-call.ts"
import type { JournalEntry } from "../../mock/journal.ts"

/** Headers that curl sends itself, or that belong to one connection or browser. */
const ownHeaders =
  /^(?:host|connection|content-length|accept-.*|user-agent|referer|cookie|transfer-encoding|sec-.*)$/

/** The command for a POSIX shell that sends a request again. What the journal left out has to be filled in. */
export function toCurl({ method, path, request }: JournalEntry, service: string) {
  const headers = Object.entries(request.headers).filter(([name]) => !ownHeaders.test(name))
  return [
    `curl ${method === "HEAD" ? "--head" : `-X ${method}`} ${quote(service + path)}`,
    ...headers.map(([name, value]) => `-H ${quote(`${name}: ${value}`)}`),
    ...(request.body === "" ? [] : [`--data-raw ${quote(request.body)}`]),
  ].join(" \\\n  ")
}
