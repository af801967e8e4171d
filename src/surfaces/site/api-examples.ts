import type { ApiDefinition, Example } from "../../apis/contract.ts"
import { type CodeCall, exampleService } from "../../code-examples/code-call.ts"
import { codeLanguages } from "../../code-examples/languages.ts"
import { encodeEnvelope, formats } from "../../encode/formats.ts"
import type { DocumentedApi } from "../openapi/json-object.ts"
import { type Html, html, type Site } from "./site.ts"
import { codeBlock, tabs } from "./tabs.ts"

/** The shortest answer among the first examples of all APIs, since others may show an empty result; null without examples. */
export function shortestExample({ apis, publicUrl }: Site) {
  const shown = apis.flatMap(({ definition }) =>
    definition.examples.slice(0, 1).map((example) => ({
      definition,
      example,
      length: JSON.stringify(example.output).length,
    })),
  )
  const [shortest] = shown.toSorted((one, other) => one.length - other.length)
  if (!shortest) return null
  const { definition, example } = shortest
  return { definition, example, call: callOf(definition, example, publicUrl ?? exampleService) }
}

function callOf({ id, method }: ApiDefinition, { input }: Example, service: string): CodeCall {
  return { method, url: `${service}/v1/${id}`, key: "YOUR-KEY", input }
}

/** Every example of a definition: its call in each language, its answer in each format. Null without examples. */
export function examplesOf({ publicUrl }: Site, { definition }: DocumentedApi): Html | null {
  const [first, ...others] = definition.examples
  if (!first) return null
  const service = publicUrl ?? exampleService
  return html`${one(definition, first, "1", service)}
${others.map((example, index) => html`<details><summary>${example.name}</summary>${one(definition, example, String(index + 2), service)}</details>`)}`
}

function one(definition: ApiDefinition, example: Example, number: string, service: string): Html {
  const call = callOf(definition, example, service)
  const languages = codeLanguages.map((language) => ({
    id: language.id,
    name: language.name,
    content: codeBlock(language.id, `Call in ${language.name}: ${example.name}`, language.write(call)),
  }))
  return html`${number === "1" && html`<p class="example-name">${example.name}</p>`}
${example.note !== undefined && html`<p class="hint">${example.note}</p>`}
${tabs(`call-${number}`, "Call", languages)}
${answerTabs(`answer-${number}`, example)}`
}

/**
 * The answer of an example in each format.
 * @param id begins every id within the group
 */
export function answerTabs(id: string, { name: title, output }: Example): Html {
  const answers = formats.map((format) => {
    const text = encodeEnvelope(format, { status: "ok", error: null, data: { ...output } })
    const name = format.toUpperCase()
    const shown = format === "json" ? JSON.stringify(JSON.parse(text), null, 2) : text
    return { id: format, name, content: codeBlock(format, `Answer in ${name}: ${title}`, shown) }
  })
  return tabs(id, "Answer", answers)
}
