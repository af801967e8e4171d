import { toCurl } from "../../code-examples/code-call.ts"
import { Secret } from "../kit/secret.tsx"
import { firstApi, type OfferedApi } from "./offered-api.ts"

/** An example as a command that works as it is. */
export function FirstCall({
  apis,
  apiKey,
}: {
  readonly apis: readonly OfferedApi[]
  readonly apiKey: string
}) {
  const api = firstApi(apis)
  if (!api) return null
  const { method, id, example } = api
  const call = toCurl({ method, url: `${location.origin}/v1/${id}`, key: apiKey, input: example })
  return <Secret label="First call" text={call} />
}
