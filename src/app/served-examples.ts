import type { ApiDefinition, Example } from "../apis/contract.ts"
import { madeWhenRead } from "../values/frozen.ts"

const note = "Example data; your call asks the real DNS."

/** The names that the examples' fixtures invent are below these, which nobody can register (RFC 2606 §2). */
const inventedName = /(?<![\w*-])(?:[\w*-]+\.)*[a-z\d-]+\.(?:example|test)(?![\w-]|\.[a-z\d])/gi

/**
 * An API as a service with the real DNS documents it. In its examples, `domain` stands for the domain that the call is about, and
 * reserved names (RFC 2606 §3) for others of the test double. Parameters that are good for the test double alone are left out.
 * @param domain such as `example.com`
 */
export function withServedExamples(api: ApiDefinition, domain: string): ApiDefinition {
  if (!api.asksDns && !api.asksWeb) return api
  return madeWhenRead(api, "examples", () => {
    const told = JSON.stringify(api.examples.map(({ given, input }) => [given, input]))
    const zones = new Set(told.match(inventedName)?.map((name) => lastLabels(name, 2)))
    return api.examples.map((example) => toServed(example, zones, domain))
  })
}

/** Names that are only in the answer, as those in a packed report, stay as they are. */
function toServed(example: Example, zones: ReadonlySet<string>, domain: string): Example {
  const { given = {}, input, output, ...rest } = example
  const sent = Object.fromEntries(Object.entries(input).filter(([name]) => !given.parameters?.includes(name)))
  const [first = ""] = JSON.stringify([sent, output]).match(inventedName) ?? []
  const subject = given.domain ?? lastLabels(first, 2)
  const depth = subject.split(".").length
  const stands = new Map([[subject, domain]])
  const rename = (name: string) => {
    if (!zones.has(lastLabels(name, 2))) return name
    const zone = lastLabels(name, depth)
    const other =
      stands.get(zone) ?? ["example.net", "example.org"][stands.size - 1] ?? `${stands.size}.example.org`
    stands.set(zone, other)
    return name.slice(0, -zone.length) + other
  }
  const renamed = <T>(value: T): T =>
    JSON.parse(JSON.stringify(value), (_, part) =>
      typeof part === "string" ? part.replaceAll(inventedName, rename) : part,
    )
  return { ...rest, input: renamed(sent), output: renamed(output), note }
}

function lastLabels(name: string, count: number): string {
  return name.toLowerCase().split(".").slice(-count).join(".")
}
