/** The address in examples where none is configured. In a browser, the page's own address replaces it. */
export const exampleService = "http://localhost:8080"

/** A call of one API, as a code example shows it. */
export interface CodeCall {
  readonly method: "GET" | "POST"
  /** The API's address without a query, such as `http://localhost:8080/v1/hmac`. */
  readonly url: string
  readonly key: string
  /** The parameters: in the query of a GET, in the JSON body of a POST. */
  readonly input: Readonly<Record<string, unknown>>
  /** The format to ask for; `json`, the default, is not sent. */
  readonly format?: string
}

/** The parameters that travel in the query, as texts. Each item of a list has the list's name. */
export function queryOf({ method, input, format }: CodeCall): [name: string, text: string][] {
  const parameters = method === "GET" ? Object.entries(input) : []
  const texts = parameters.flatMap(([name, value]) =>
    [value]
      .flat()
      .map((item): [string, string] => [name, typeof item === "string" ? item : JSON.stringify(item)]),
  )
  return format === undefined || format === "json" ? texts : [...texts, ["format", format]]
}

/** The whole address, its query encoded. */
export function addressOf(call: CodeCall): string {
  const query = new URLSearchParams(queryOf(call))
  return query.size === 0 ? call.url : `${call.url}?${query}`
}

/** The query as an object, which reads best in a program; null where a name comes more than once. */
export function queryObjectOf(query: readonly (readonly [name: string, text: string])[]): object | null {
  const byName = Object.fromEntries(query)
  return Object.keys(byName).length === query.length ? byName : null
}

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
export function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`
}
