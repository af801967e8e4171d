import type { Plan } from "../accounts/plan.ts"
import type { RawInput } from "../call/input.ts"
import { forbidden, invalid, noSuch } from "./fault.ts"
import type { Actor, Operation, PortalAccess } from "./operation.ts"
import type { AdminParts } from "./parts.ts"
import { allows } from "./permission.ts"

/**
 * The operations that an actor may run, for a page that shows their buttons.
 * @param plan of a customer's account
 */
export function operationsFor(
  { permissions, account }: Actor,
  plan: Plan | undefined,
  operations: readonly Operation[],
): readonly Operation[] {
  return operations.filter(
    ({ permission, portal }) =>
      (permission === null || allows(permissions, permission)) &&
      (account === null || (portal !== undefined && isAllowedBy(plan, portal))),
  )
}

/**
 * The input of an operation that a customer runs. Their own account is added if none is named.
 * @throws AdminFault for a parameter that is for operators alone
 */
export function withOwnAccount({ input, portal = {} }: Operation, raw: RawInput, accountId: string) {
  const given = raw.kind === "text" ? raw.parameters.map(({ name }) => name) : Object.keys(raw.values)
  const { parameters, account } = portal
  const other = parameters && given.find((name) => name in input.properties && !parameters.includes(name))
  if (other !== undefined)
    throw forbidden(`Leave out '${other}': only the operator of this service sets it.`, other)
  if (account === undefined || given.includes(account)) return raw
  return raw.kind === "text"
    ? { ...raw, parameters: [...raw.parameters, { name: account, text: accountId }] }
    : { ...raw, values: { ...raw.values, [account]: accountId } }
}

/**
 * Requires that a customer names only what is their own, and that the plan allows what they do.
 * @param accountId of the customer
 * @throws AdminFault 404 for what belongs to others, as for what does not exist; 403 for what the plan does not allow
 */
export async function requireOwn(
  { portal = {} }: Operation,
  input: Readonly<Record<string, unknown>>,
  accountId: string,
  { admin, plans }: AdminParts,
): Promise<void> {
  const given = (parameter: string | undefined) => {
    const value = parameter === undefined ? undefined : input[parameter]
    return typeof value === "string" ? value : undefined
  }
  const account = given(portal.account)
  if (account !== undefined && account !== accountId) throw noSuch("account", account)
  const key = given(portal.key)
  if (key !== undefined && (await admin.findKey(key))?.accountId !== accountId) throw noSuch("key", key)
  const notice = given(portal.notice)
  if (notice !== undefined && (await admin.findNotice(notice))?.accountId !== accountId)
    throw noSuch("notice", notice)
  // Without one of them the operation could reach other accounts.
  if (account === undefined && key === undefined) {
    const parameter = portal.key ?? portal.account ?? "id"
    throw invalid(parameter, `Give '${parameter}'.`)
  }
  const owner = await admin.findAccount(accountId)
  if (owner && isAllowedBy(plans.get(owner.plan), portal)) return
  throw forbidden("Your plan does not allow this here. Ask the operator of this service.")
}

/** Whether a plan lets customers run an operation. Under a plan that is not configured they may change little. */
function isAllowedBy(plan: Plan | undefined, { action }: PortalAccess): boolean {
  if (action === undefined) return true
  if (!plan?.portal.includes(action)) return false
  return action !== "create" || plan.portalKeys > 0
}
