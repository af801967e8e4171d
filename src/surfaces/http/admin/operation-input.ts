import { AdminFault } from "../../../admin/fault.ts"
import type { GiveWay } from "../../../apis/contract.ts"
import { inputFault } from "../../../call/fault.ts"
import type { RawInput, TextParameter } from "../../../call/input.ts"
import { readJsonObject } from "../body.ts"
import type { Intake } from "../intake.ts"
import { parseQuery } from "../query.ts"
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
  const { parameters } = parseQuery(request.url)
  if (route.operation.method === "GET") {
    refuseRepeated(inPath, parameters)
    return { kind: "text", parameters: [...inPath, ...parameters] }
  }
  const [first] = parameters
  if (first) {
    throw new AdminFault("invalid", "This path takes no query string: send parameters in the JSON body.")
  }
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
    throw new AdminFault("invalid", `The '${name}' parameter is part of the path: give it only there.`, {
      parameter: name,
    })
  }
}

function readable({ name, text }: TextParameter): [string, string] {
  if (text === null) throw inputFault(name, "must be percent-encoded UTF-8")
  return [name, text]
}
