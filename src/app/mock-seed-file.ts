import { stringify } from "yaml"
import { hashKey } from "../accounts/key.ts"
import { describePlan, type Plans } from "../accounts/plan.ts"
import { toAccountOutput } from "../admin/accounts/account.ts"
import { pick } from "../admin/changed-fields.ts"
import { toKeyOutput } from "../admin/keys/key.ts"
import type { Clock } from "../apis/contract.ts"
import type { MockState } from "../mock/state.ts"
import type { AdminStore } from "../store/admin-store.ts"
import type { Outbox } from "../store/outbox.ts"
import { toIso } from "../values/time-text.ts"
import { accountSchema, keySchema, seedSchema } from "./mock-seed.ts"

interface SeedSource extends Pick<MockState, "faults" | "stubs" | "dns" | "web"> {
  readonly admin: AdminStore
  readonly outbox: Pick<Outbox, "findWebhook">
  readonly clock: Clock
  readonly plans: Plans
  /** Real keys by the texts that stand for them. */
  readonly names: ReadonlyMap<string, string>
}

const head = `# The state of a test double: penknife mock --seed FILE. The fields are described in docs/mock-seed.md.
# Usage, mails, notices and requests are not in it, nor keys whose text the test double does not know.
`
const all = { limit: Number.MAX_SAFE_INTEGER, after: null }

/**
 * Writes the present state as a seed file, in YAML.
 * @param start the DNS and the replies of a start without files, which are left out, and the profiles of the seed
 */
export async function writeSeed(
  { admin, outbox, clock, plans, names, faults, stubs, dns, web }: SeedSource,
  start: { readonly zone: object; readonly replies: object; readonly profiles: object | undefined },
): Promise<string> {
  const keys = new Map<string, object[]>()
  for (const [text, real] of names) {
    const found = await admin.findKeyByHash(hashKey(real))
    if (!found) continue
    const entry = withoutEmpty(pick({ text, ...toKeyOutput(found.key) }, Object.keys(keySchema.properties)))
    keys.set(found.key.accountId, [...(keys.get(found.key.accountId) ?? []), entry])
  }
  const accounts: object[] = []
  for (const account of await admin.accounts({}, all)) {
    const { used, ...shown } = toAccountOutput(account, { plans, clock })
    const webhook = await outbox.findWebhook(account.id)
    // After a change of the plan more may be used than it gives.
    const credits_used = Math.min(used, plans.get(account.plan)?.monthlyCredits ?? used)
    const more = {
      credits_used,
      webhook: webhook?.url,
      keys: keys.get(account.id),
    }
    const entry = pick({ ...shown, bonus: account.bonus, ...more }, Object.keys(accountSchema.properties))
    accounts.push({ ...withoutEmpty(entry), ...(account.email !== null && { events: account.events }) })
  }
  const seed = {
    now: toIso(clock.now()),
    plans: Object.fromEntries([...plans].map(([name, plan]) => [name, withoutNull(describePlan(plan))])),
    accounts,
    profiles: start.profiles,
    profile: faults.profile().name,
    faults: faults.list(),
    stubs: stubs.list(),
    dns: dns.zone === start.zone ? undefined : dns.zone,
    web: web.fixture === start.replies ? undefined : web.fixture,
  }
  return head + stringify(seed, { lineWidth: 0, aliasDuplicateObjects: false })
}

function withoutNull(fields: object): object {
  return Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== null && value !== undefined),
  )
}

/** Leaves out what a seed without it means too. */
function withoutEmpty(fields: object): object {
  const isEmpty = (value: unknown) =>
    value === "" || (typeof value === "object" && Object.keys(value ?? {}).length === 0)
  return Object.fromEntries(Object.entries(withoutNull(fields)).filter(([, value]) => !isEmpty(value)))
}

/** The JSON Schema of seed files, for editors: without rules for messages and formats of our own. */
export function seedJsonSchema(): string {
  const isOwn = (name: string, value: unknown) =>
    /^x-|^penknife-/.test(name === "format" ? String(value) : name)
  const schema = {
    $schema: "http://json-schema.org/draft-07/schema#",
    title: "penknife mock --seed",
    ...seedSchema,
  }
  return `${JSON.stringify(schema, (name, value: unknown) => (isOwn(name, value) ? undefined : value), 2)}\n`
}
