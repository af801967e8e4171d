import type { Operation } from "../../../admin/operation.ts"

/** Parameters in a path. */
const names = /\{(\w+)\}/g

/** The URL and body of an operation's HTTP request: path, query string of a GET, JSON body of other methods. */
export function toRequest(
  base: string,
  { method, path, otherPaths = [] }: Operation,
  input: Readonly<Record<string, unknown>>,
): { readonly url: string; readonly body: string | null } {
  const rest = new Map(Object.entries(input))
  const fitting = [path, ...otherPaths].find((one) =>
    [...one.matchAll(names)].every(([, name = ""]) => rest.has(name)),
  )
  const filled = (fitting ?? path).replace(names, (_, name: string) => {
    const value = String(rest.get(name))
    rest.delete(name)
    return encodeURIComponent(value)
  })
  const url = `${base}/admin/v1${filled}`
  if (method !== "GET") return { url, body: JSON.stringify(Object.fromEntries(rest)) }
  const query = new URLSearchParams()
  for (const [name, value] of rest) {
    for (const item of [value].flat()) query.append(name, String(item))
  }
  return { url: query.size > 0 ? `${url}?${query}` : url, body: null }
}
