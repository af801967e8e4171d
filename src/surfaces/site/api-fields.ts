import type { TObject, TSchema } from "@sinclair/typebox"
import { choicesOf, deprecationOf, deprecationText, isPremium, isSecret } from "../../apis/contract.ts"
import { toRequirement } from "../../call/requirement.ts"
import { type Field, fieldsIn, fieldsOf, typeOf } from "../markdown/api-page.ts"
import { type Html, html, withCode } from "./site.ts"

/** The parameters of an API: type, whether one is required, default, limits. */
export function parameterList({ properties, required = [] }: TObject): Html {
  const names = new Set(required)
  return html`<dl class="fields">${Object.entries(properties).map(([name, schema]) => {
    const tags = [
      names.has(name)
        ? html`<span class="tag required">required</span>`
        : html`<span class="tag">optional</span>`,
      isPremium(schema) && html`<span class="tag premium">premium</span>`,
      isSecret(schema) && html`<span class="tag" title="It is in no log, and nobody keeps it.">secret</span>`,
    ]
    return html`<div id="${parameterAnchor(name)}">${entry(name, schema, tags, parameterFacts(schema))}</div>`
  })}</dl>
${Object.values(properties).some(isPremium) && html`<p class="hint">A premium parameter takes effect on plans with premium fields. On others it is checked and has no effect.</p>`}`
}

/** Every field of an answer's `data`. Fields of an object or list inside it are closed until someone opens them. */
export function fieldList(output: TObject): Html {
  const hasPremium = fieldsOf(output).some(({ premium }) => premium)
  return html`<p>Every answer has three fields: <code>status</code> (<code>ok</code> or <code>error</code>), <code>error</code> (null, or what to change) and <code>data</code> with:</p>
${fieldsOfOne({ path: "", schema: output, premium: false })}
${hasPremium && html`<p class="hint">A premium field is absent on plans without premium fields.</p>`}`
}

function fieldsOfOne(parent: Field): Html {
  return html`<dl class="fields">${fieldsIn(parent).map((field) => {
    const tags = [field.premium && html`<span class="tag premium">premium</span>`]
    return html`<div>${entry(field.path, field.schema, tags, nestedIn(field))}</div>`
  })}</dl>`
}

function nestedIn(field: Field): Html | null {
  const count = fieldsOf(field.schema).length
  if (count === 0) return null
  return html`<details><summary>${count === 1 ? "1 field" : `${count} fields`} in <code>${field.path}</code></summary>${fieldsOfOne(field)}</details>`
}

/** Where a parameter is on the page of its API. */
export function parameterAnchor(name: string): string {
  return `parameter-${name}`
}

function entry(name: string, schema: TSchema, tags: readonly (Html | false)[], more: Html | null): Html {
  const mark = deprecationOf(schema)
  return html`<dt class="row"><code>${name}</code> <span class="type muted">${withCode(typeOf(schema))}</span>${tags}${mark && html`<span class="tag warn">deprecated</span>`}</dt>
<dd><p>${withCode(schema.description ?? "")}</p>${mark && html`<p class="warning">${deprecationText(mark)}</p>`}${more}</dd>`
}

/** The limits, unless the type says them already, and the default. */
function parameterFacts(schema: TSchema): Html | null {
  const limit = toRequirement(schema).replace(/^must be /, "")
  const isSaid =
    choicesOf(schema) !== null ||
    ["a string", "a number", "a whole number", "true or false", "a JSON value"].includes(limit)
  if (isSaid && schema.default === undefined) return null
  return html`<p class="facts muted">${!isSaid && html`${limit[0]?.toUpperCase()}${limit.slice(1)}. `}${schema.default !== undefined && html`Default: <code>${String(schema.default)}</code>.`}</p>`
}
