import { AdminFault } from "../../../admin/fault.ts"
import type { Actor } from "../../../admin/operation.ts"
import { type SignIn, signInRefusals } from "../../../admin/sign-in.ts"
import type { Pipeline } from "../../../call/pipeline.ts"
import type { IncomingRequest } from "../exchange.ts"
import type { RequestRate } from "./request-rate.ts"
import { requireSentAdminKey } from "./sent-admin-key.ts"
import type { SignInFailures } from "./sign-in-failures.ts"

export interface CallerParts {
  readonly signIn: SignIn
  readonly failures: SignInFailures
  readonly rate: RequestRate
  readonly log: Pipeline["log"]
}

/**
 * Finds who sends a request to the admin API. A failed sign-in is logged and, when there were many, answered late.
 * @throws AdminFault 400, 401, 429
 */
export async function requireActor(
  { headers }: Request,
  { requestId, address }: IncomingRequest,
  { signIn, failures, rate, log }: CallerParts,
): Promise<Actor> {
  const sent = requireSentAdminKey(headers)
  const { adminKey, refusal } = await signIn(sent)
  if (refusal === null) {
    rate.take(adminKey.id)
    const { id, name, permissions } = adminKey
    return { id: `admin-key:${id}`, name, permissions, source: address(), requestId }
  }
  const source = address()
  // An API key in the wrong place is a mistake and no guess.
  if (refusal !== "apiKey") await failures.add(source)
  log.warn("admin sign-in failed", {
    requestId,
    reason: refusal,
    ...(adminKey && { adminKey: adminKey.id, name: adminKey.name }),
    address: source,
  })
  throw new AdminFault("unauthenticated", signInRefusals[refusal])
}
