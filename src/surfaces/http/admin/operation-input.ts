import type { RunOptions } from "../../../admin/administration.ts"
import { AdminFault, invalid } from "../../../admin/fault.ts"
import type { GiveWay } from "../../../apis/contract.ts"
import { inputFault } from "../../../call/fault.ts"
import { mistakeOfIdempotencyKey } from "../../../call/idempotent-work.ts"
import type { RawInput, TextParameter } from "../../../call/input.ts"
import { readJsonObject } from "../read/body.ts"
import type { Intake } from "../read/intake.ts"
import { parseQuery } from "../read/query.ts"
import { tooManyParameters } from "../reply/format.ts"
import { needsBody, type OperationRoute } from "./operation-routes.ts"

/**
 * Reads an operation's parameters: from the path (`params`), and from the query of a GET or the JSON body of another method.
 * Rejects with a Fault, or an AdminFault for a parameter in the wrong place.
 */
export async function readOperationInput(
  route: OperationRoute,
  params: Readonly<Record<string, string>>,
  request: Request,
  intake: Intake,
  giveWay: GiveWay,
): Promise<RawInput> {
  // Elysia returns null for invalid percent-encoding, contrary to its type.
  const inPath = route.inPath.map((name): TextParameter => ({ name, text: params[name] ?? null }))
  const { parameters, isCut } = parseQuery(request.url)
  if (isCut) throw tooManyParameters
  if (route.operation.method === "GET") {
    refuseRepeated(inPath, parameters)
    return { kind: "text", parameters: [...inPath, ...parameters] }
  }
  const [first] = parameters
  if (first)
    throw new AdminFault("invalid", "This path takes no query string: send parameters in the JSON body.")
  const values =
    needsBody(route) || request.body !== null ? await readJsonObject(request, intake, giveWay) : {}
  refuseRepeated(
    inPath,
    Object.keys(values).map((name) => ({ name })),
  )
  return { kind: "typed", values: { ...values, ...Object.fromEntries(inPath.map(readable)) } }
}

function refuseRepeated(inPath: readonly TextParameter[], given: readonly Pick<TextParameter, "name">[]) {
  for (const { name } of inPath) {
    if (!given.some((other) => other.name === name)) continue
    throw invalid(name, `The '${name}' parameter is part of the path: give it only there.`)
  }
}

function readable({ name, text }: TextParameter): [string, string] {
  if (text === null) throw inputFault(name, "must be percent-encoded UTF-8")
  return [name, text]
}

/** A strong ETag of this API: a version in quotes. */
const versionForm = /^"([1-9]\d{0,14})"$/

/**
 * Reads the headers that a change depends on.
 * @throws AdminFault for a malformed one
 */
export function readConditions(headers: Headers): RunOptions {
  return { ifVersion: readIfMatch(headers), idempotencyKey: readIdempotencyKey(headers) }
}

/** The ETag of an answer with a version; null for others. */
export function etagOf(output: unknown): string | null {
  if (typeof output !== "object" || output === null || !("version" in output)) return null
  return Number.isSafeInteger(output.version) ? `"${output.version}"` : null
}

/** Draft-ietf-httpapi-idempotency-key-header. The key is stored, so it must not be a secret. */
function readIdempotencyKey(headers: Headers): string | null {
  const key = headers.get("idempotency-key")
  const mistake = key === null ? null : mistakeOfIdempotencyKey(key)
  if (mistake !== null) throw malformed("Idempotency-Key", mistake)
  return key
}

/** RFC 9110 §13.1.1. `*` asks only that the target exists, as every change does. */
function readIfMatch(headers: Headers): number | null {
  const text = headers.get("if-match")?.trim()
  if (text === undefined || text === "*") return null
  const [, version] = versionForm.exec(text) ?? []
  if (version !== undefined) return Number(version)
  throw malformed(
    "If-Match",
    'must be * or the ETag of an earlier answer, such as "3": one, and not a weak one',
  )
}

function malformed(header: string, requirement: string): AdminFault {
  return invalid(header, `The request header '${header}' ${requirement}.`)
}
