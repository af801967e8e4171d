/**
 * Writes the parts of README.md that the code knows better: `bun run readme`. A part stands between `<!-- name -->` and
 * `<!-- /name -->`. A test holds the file to what this would write.
 */
import { join } from "node:path"
import type { ApiDefinition } from "../src/apis/contract.ts"
import { catalog } from "../src/app/service.ts"
import { defaultTextOf, envOf, fileKeyOf, type Option, options, usageOf } from "../src/config/options.ts"

const file = join(import.meta.dir, "../README.md")

if (import.meta.main) await Bun.write(file, renderReadme(await Bun.file(file).text()))

/** The README with its generated parts brought up to date. */
export function renderReadme(text: string): string {
  const parts: Record<string, string> = { options: renderOptions(), apis: catalog.map(renderApi).join("\n") }
  return Object.entries(parts).reduce((result, [name, part]) => replacePart(result, name, part), text)
}

function replacePart(text: string, name: string, part: string): string {
  const [open, close] = [`<!-- ${name} -->\n`, `<!-- /${name} -->`]
  const [start, end] = [text.indexOf(open), text.indexOf(close)]
  if (start === -1 || end < start) throw new Error(`README.md has no part '${name}'`)
  return text.slice(0, start + open.length) + part + text.slice(end)
}

function renderOptions(): string {
  const rows = Object.values(options).map((option: Option<unknown>) => [
    `\`${usageOf(option)}\``,
    `\`${envOf(option)}\``,
    `\`${fileKeyOf(option)}\``,
    defaultTextOf(option),
    option.help,
  ])
  return [
    ["flag", "environment", "in the file", "default", "meaning"],
    ["---", "---", "---", "---", "---"],
    ...rows,
  ]
    .map((cells) => `| ${cells.join(" | ")} |\n`)
    .join("")
}

function renderApi(api: ApiDefinition): string {
  const [example] = api.examples
  if (!example) throw new Error(`${api.id} has no example`)
  return `### ${api.title}: \`${api.method} /v1/${api.id}\`

${api.description} ${api.credits === 1 ? "1 credit" : `${api.credits} credits`}.

\`\`\`sh
${curlOf(api, example.input)}
\`\`\`
\`\`\`json
${prettyJson({ status: "ok", error: null, data: example.output })}
\`\`\`
`
}

function curlOf(api: ApiDefinition, input: Readonly<Record<string, unknown>>): string {
  const url = `http://localhost:8080/v1/${api.id}`
  if (api.method === "POST") {
    const body = JSON.stringify(input).replaceAll("'", "'\\''")
    return `curl -H "x-api-key: $KEY" -H 'content-type: application/json' ${url} \\\n  -d '${body}'`
  }
  const query = new URLSearchParams(
    Object.entries(input).map(([name, value]): [string, string] => [name, String(value)]),
  )
  return `curl -H "x-api-key: $KEY" '${url}?${query}'`
}

/** Pretty-printed, with what fits a line on one. */
function prettyJson(value: unknown, indent = ""): string {
  const flat = JSON.stringify(value)
  if (typeof value !== "object" || value === null || (indent !== "" && flat.length + indent.length <= 100))
    return flat
  const inner = `${indent}  `
  const lines = Array.isArray(value)
    ? value.map((item) => inner + prettyJson(item, inner))
    : Object.entries(value).map(
        ([name, item]) => `${inner}${JSON.stringify(name)}: ${prettyJson(item, inner)}`,
      )
  const [open, close] = Array.isArray(value) ? "[]" : "{}"
  return `${open}\n${lines.join(",\n")}\n${indent}${close}`
}
