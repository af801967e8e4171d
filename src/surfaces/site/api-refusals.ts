import { createOpenApiDocument } from "../openapi/document.ts"
import type { DocumentedApi, JsonObject, OpenApiDocument } from "../openapi/json-object.ts"
import { type Html, html, withCode } from "./html.ts"
import type { Site } from "./site.ts"

interface Refusal {
  readonly status: string
  readonly description: string
  /** The codes of `X-Error-Code`, each with a message as it is sent. */
  readonly messages: readonly { readonly code: string; readonly detail: string }[]
}

/** The refusals of an API, by status: codes for programs and their messages, from the OpenAPI document. */
export function refusalsOf(site: Site, api: DocumentedApi): Html {
  return html`<p>A refused call costs nothing. <code>error</code> says what to change, and the header <code>X-Error-Code</code> has a code for programs. <a href="/docs/errors">More about errors</a></p>
${readRefusals(documentOf({ ...site, apis: [api] }), api).map(
  ({
    status,
    description,
    messages,
  }) => html`<details class="refusal"><summary><code>${status}</code> <span>${withCode(description)}</span></summary>
<dl>${messages.map(({ code, detail }) => html`<div><dt><code>${code}</code></dt><dd>${detail}</dd></div>`)}</dl></details>`,
)}`
}

/** The refusals of all APIs, by status. A code stands once, with a message as it is sent. */
export function allRefusals(
  site: Site,
): readonly { readonly status: string; readonly code: string; readonly detail: string }[] {
  const document = documentOf(site)
  const refusals = site.apis
    .flatMap((api) => readRefusals(document, api))
    .flatMap(({ status, messages }) => messages.map((message) => ({ status, ...message })))
    .toSorted((one, other) => Number(one.status) - Number(other.status))
  return refusals.filter(({ code }, index) => refusals.findIndex((other) => other.code === code) === index)
}

function documentOf(site: Site): OpenApiDocument {
  return createOpenApiDocument(site, { apisOnly: true })
}

interface ResponseEntry {
  readonly description: string
  readonly content?: Readonly<
    Record<string, { readonly examples?: Readonly<Record<string, { readonly value: Problem }>> }>
  >
}

interface Problem {
  readonly type: string
  readonly detail: string
}

function readRefusals(document: OpenApiDocument, { definition: { id, method } }: DocumentedApi): Refusal[] {
  const operation = document.paths[`/v1/${id}`]?.[method.toLowerCase()] as {
    readonly responses: Readonly<Record<string, JsonObject>>
  }
  return Object.entries(operation.responses)
    .filter(([status]) => status !== "200")
    .map(([status, found]) => {
      const { description, content } = resolve(document, found)
      const examples = Object.values(content?.["application/problem+json"]?.examples ?? {})
      const messages = examples.map(({ value: { type, detail } }) => ({
        code: type.split(":").at(-1) ?? type,
        detail,
      }))
      return { status, description, messages }
    })
}

function resolve({ components }: OpenApiDocument, response: JsonObject): ResponseEntry {
  const name = typeof response.$ref === "string" ? response.$ref.split("/").at(-1) : undefined
  return (name === undefined ? response : components.responses?.[name]) as unknown as ResponseEntry
}
