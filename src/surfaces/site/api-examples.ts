import type { ApiDefinition, Example } from "../../apis/contract.ts"
import { exampleService } from "../../code-examples/code-call.ts"
import { codeLanguages } from "../../code-examples/languages.ts"
import { encodeEnvelope, formats } from "../../encode/formats.ts"
import type { DocumentedApi } from "../openapi/json-object.ts"
import { type Html, html } from "./html.ts"
import type { Site } from "./site.ts"
import { codeBlock, tabs } from "./tabs.ts"

/** Every example of a definition: its call in each language, its answer in each format. Null without examples. */
export function examplesOf({ publicUrl }: Site, { definition }: DocumentedApi): Html | null {
  const [first, ...others] = definition.examples
  if (!first) return null
  const service = publicUrl ?? exampleService
  return html`${one(definition, first, "1", service)}
${others.map((example, index) => html`<details><summary>${example.name}</summary>${one(definition, example, String(index + 2), service)}</details>`)}`
}

function one({ id, method }: ApiDefinition, example: Example, number: string, service: string): Html {
  const call = { method, url: `${service}/v1/${id}`, key: "YOUR-KEY", input: example.input }
  const languages = codeLanguages.map((language) => ({
    id: language.id,
    name: language.name,
    content: codeBlock(language.id, `Call in ${language.name}: ${example.name}`, language.write(call)),
  }))
  const answers = formats.map((format) => {
    const text = encodeEnvelope(format, { status: "ok", error: null, data: { ...example.output } })
    const name = format.toUpperCase()
    const shown = format === "json" ? JSON.stringify(JSON.parse(text), null, 2) : text
    return { id: format, name, content: codeBlock(format, `Answer in ${name}: ${example.name}`, shown) }
  })
  return html`${number === "1" && html`<p class="example-name">${example.name}</p>`}
${tabs(`call-${number}`, "Call", languages)}
${tabs(`answer-${number}`, "Answer", answers)}
${number === "1" && html`<p class="hint">Add <code>format=xml</code>, <code>yaml</code> or <code>csv</code> to the query, or send an <code>Accept</code> header, for the other formats.</p>`}`
}
