import { toBrokenBody } from "../../../mock/broken-body.ts"
import type { RequestEffects } from "../../../mock/request-effects.ts"
import { joinEdits } from "../../../mock/rule.ts"

/** An answer whose body has been read. */
export interface ReadAnswer {
  readonly status: number
  readonly headers: Headers
  readonly body: string
}

/** Reads an answer and replaces what stubs and faults say: a stub in a success only, a fault always and last. */
export async function editAnswer(response: Response, effects: RequestEffects): Promise<ReadAnswer> {
  const { status, headers } = response
  // Read before the stubs, since an answer may be made while it is read.
  const text = await response.text()
  const { fault, stubs } = effects
  const edit = joinEdits([...(response.ok ? stubs : []), ...(fault?.edit ? [fault.edit] : [])])
  const body = edit?.body === undefined ? text : toText(edit.body)
  if (edit?.body !== undefined && typeof edit.body !== "string")
    headers.set("content-type", "application/json")
  for (const [name, value] of Object.entries(edit?.headers ?? {})) headers.set(name, value)
  return { status, headers, body: fault?.malformed ? toBrokenBody(body) : body }
}

function toText(body: unknown): string {
  return typeof body === "string" ? body : JSON.stringify(body)
}
