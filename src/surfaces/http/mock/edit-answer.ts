import type { RequestEffects } from "../../../mock/request-effects.ts"
import { joinEdits } from "../../../mock/rule.ts"

/** An answer whose body has been read. */
export type ReadAnswer = Awaited<ReturnType<typeof editAnswer>>

/** Reads an answer and replaces what stubs and faults say: a stub in a success only, a fault always and last. */
export async function editAnswer(response: Response, effects: RequestEffects) {
  const { status, headers } = response
  // Read before the stubs, since an answer may be made while it is read.
  const text = await response.text()
  const { fault, stubs } = effects
  const edit = joinEdits([...(response.ok ? stubs : []), ...(fault ? [fault.effects] : [])])
  const body = edit?.body === undefined ? text : toText(edit.body)
  if (edit?.body !== undefined && typeof edit.body !== "string")
    headers.set("content-type", "application/json")
  for (const [name, value] of Object.entries(edit?.headers ?? {})) headers.set(name, value)
  return { status, headers, body: fault?.effects.malformed ? toBrokenBody(body) : body }
}

function toText(body: unknown): string {
  return typeof body === "string" ? body : JSON.stringify(body)
}

/**
 * Cuts a body in half and ends it so that no parser accepts it. A cut alone may leave valid CSV or YAML. The added line opens a
 * quote at the margin and goes on after it, which neither allows (RFC 4180 §2, YAML 1.2.2 §7.3.1), also inside a quoted text.
 */
export function toBrokenBody(body: string): string {
  return `${body.slice(0, body.length / 2)}\n"a"b`
}
