import { type ApiDefinition, type Deprecation, deprecationOf } from "../../../apis/contract.ts"
import { isGiven } from "../../../call/deprecated-use.ts"
import type { RawInput } from "../../../call/input.ts"
import type { AnswerSettings } from "../request.ts"

/** Makes what names the deprecated items that a call used in headers of its answer. Null for an API without any. */
export function noticeOf({ id, deprecation, input }: ApiDefinition) {
  const marked = Object.entries(input.properties).flatMap(([name, schema]) => {
    const mark = deprecationOf(schema)
    return mark ? [[name, headersOf(id, mark, null)] as const] : []
  })
  if (!deprecation && marked.length === 0) return null
  const ofApi = deprecation ? headersOf(id, deprecation, deprecation.successor ?? null) : null
  return (given: RawInput, set: AnswerSettings): void => {
    const headers = ofApi ?? marked.find(([name]) => isGiven(given, name))?.[1]
    if (headers) Object.assign(set.headers, headers)
  }
}

/** `Deprecation` (RFC 9745), `Sunset` (RFC 8594) and links to what replaces it (RFC 5829 §3.3). */
function headersOf(id: string, { since, sunset }: Deprecation, successor: string | null) {
  const links = [
    `</docs/${id}.md>; rel="deprecation"; type="text/markdown"`,
    ...(successor === null ? [] : [`</v1/${successor}>; rel="successor-version"`]),
  ]
  return {
    deprecation: `@${Date.parse(since) / 1_000}`,
    ...(sunset !== undefined && { sunset: new Date(sunset).toUTCString() }),
    link: links.join(", "),
  }
}
