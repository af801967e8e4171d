import { goneRefusal } from "../openapi/api-parts.ts"
import { inputRefusal } from "../openapi/api-paths.ts"
import { chargedRefusals, type Refusal, sharedRefusals } from "../openapi/fault-responses.ts"
import type { DocumentedApi } from "../openapi/json-object.ts"
import { type Html, html, type Site, withCode } from "./site.ts"

/** The refusals of an API, by status: codes for programs and their messages. */
export function refusalsOf(site: Site, api: DocumentedApi): Html {
  return html`<p>Refused calls are free. The text in <code>error</code> says what to change, and the header <code>X-Error-Code</code> has a code for programs. <a href="/docs/errors">More about errors</a></p>
${byStatus(site, api).map(
  ({
    status,
    description,
    faults,
  }) => html`<details class="refusal"><summary><code>${status}</code> <span>${withCode(description)}</span></summary>
<dl>${Object.values(faults).map(({ code, message }) => html`<div><dt><code>${code}</code></dt><dd class="muted">${message}</dd></div>`)}</dl></details>`,
)}`
}

/** The refusals of all APIs, by status. A code stands once, with a message as it is sent. */
export function allRefusals(
  site: Site,
): readonly { readonly status: number; readonly code: string; readonly message: string }[] {
  const faults = site.apis.flatMap((api) => byStatus(site, api).flatMap((each) => Object.values(each.faults)))
  const byCode = new Map(faults.toReversed().map((fault) => [fault.code, fault]))
  return [...byCode.values()].toReversed().toSorted((one, other) => one.status - other.status)
}

function byStatus(site: Site, api: DocumentedApi): readonly (Refusal & { readonly status: number })[] {
  const shared = sharedRefusals({ ...site, apis: [api] })
  const gone = goneRefusal(api.definition)
  return [
    { status: 400, ...inputRefusal(api) },
    ...Object.entries(chargedRefusals(api.definition.method)).map(([status, name]) => ({
      status: Number(status),
      ...shared[name],
    })),
    ...(gone ? [{ status: 410, ...gone }] : []),
  ].toSorted((one, other) => one.status - other.status)
}
