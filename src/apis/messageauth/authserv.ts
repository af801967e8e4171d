import { withMember } from "../../values/frozen.ts"
import type { ApiDefinition } from "../contract.ts"

/** The name of the service that checked a message, if its operator has given none (RFC 8601 §2.2, authserv-id). */
export const usualAuthserv = "penknife"

/**
 * The API with the host of the service as authserv-id: who adds the field to a mail shows its readers who has checked it. A host
 * that is no token (RFC 2045 §5.1), such as an IPv6 address, is left out.
 */
export function withAuthserv(api: ApiDefinition, host: string): ApiDefinition {
  if (!/^[\w.-]+$/.test(host)) return api
  const named = <T extends Readonly<Record<string, unknown>>>(output: T): T => ({
    ...output,
    authentication_results: host + String(output.authentication_results).slice(usualAuthserv.length),
  })
  const examples = api.examples.map((one) => ({ ...one, output: named(one.output) }))
  return withMember(withMember(api, "examples", examples), "run", async (input, context) =>
    named(await api.run(input, context)),
  )
}
