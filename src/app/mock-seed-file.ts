import { Document, visit } from "yaml"
import { hashKey } from "../accounts/key.ts"
import { describePlan, type Plans } from "../accounts/plan.ts"
import { toAccountOutput } from "../admin/accounts/account.ts"
import { pick } from "../admin/audit/record.ts"
import { toKeyOutput } from "../admin/keys/key.ts"
import type { Clock } from "../apis/contract.ts"
import type { MockState } from "../mock/state.ts"
import type { AdminStore } from "../store/admin-reads.ts"
import type { Outbox } from "../store/outbox.ts"
import { escapeHiddenInLines } from "../values/hidden-characters.ts"
import { toIso } from "../values/time-text.ts"
import { entrySchemas, seedSchema } from "./mock-seed.ts"

interface SeedSource extends Pick<MockState, "faults" | "stubs" | "dns" | "web"> {
  readonly admin: AdminStore
  readonly outbox: Pick<Outbox, "findWebhook">
  readonly clock: Clock
  readonly plans: Plans
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
  const known = await Promise.all(
    [...names].map(async ([text, real]) => ({ text, found: await admin.findKeyByHash(hashKey(real)) })),
  )
  const keys = known.flatMap(({ text, found }) => (found ? [{ text, ...toKeyOutput(found.key) }] : []))
  const accounts: object[] = []
  for (const one of await admin.accounts({}, all)) {
    const { used, ...shown } = toAccountOutput(one, { plans, clock })
    // After a change of the plan more may be used than it gives.
    const credits_used = Math.min(used, plans.get(one.plan)?.monthlyCredits ?? used)
    const webhook = (await outbox.findWebhook(one.id))?.url
    const own = keys.filter(({ account }) => account === one.id).map((key) => entryOf(key, entrySchemas.key))
    const entry = { ...shown, bonus: one.bonus, credits_used, webhook, keys: own }
    accounts.push({ ...entryOf(entry, entrySchemas.account), ...(one.email && { events: one.events }) })
  }
  const tables = [...plans].map(([name, plan]) => [name, entryOf(describePlan(plan), null)] as const)
  const seed = {
    now: toIso(clock.now()),
    plans: Object.fromEntries(tables),
    // Not by their ids, which the next start makes anew.
    accounts: accounts.sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1)),
    profiles: start.profiles,
    profile: faults.profile().name,
    ...{ faults: faults.list(), stubs: stubs.list() },
    dns: dns.source === start.zone ? undefined : dns.source,
    web: web.source === start.replies ? undefined : web.source,
  }
  const document = new Document(seed, { aliasDuplicateObjects: false })
  visit(document, {
    Scalar(_, node) {
      if (typeof node.value === "string" && needsQuotes(node.value)) node.type = "QUOTE_DOUBLE"
    },
  })
  return head + document.toString({ lineWidth: 0 })
}

/** Whether a text is itself in double quotes alone: the library loses lines of blanks, and a terminal gets escapes. */
function needsQuotes(text: string): boolean {
  return /^[ \t]+$/m.test(text) || escapeHiddenInLines(text) !== text
}

/** The fields of a schema, or all; without those that are null, or empty where a seed without them means the same. */
function entryOf(fields: object, schema: { readonly properties: object } | null): object {
  const isEmpty = (value: unknown) => value === "" || Object.keys(Object(value)).length === 0
  const isKept = (value: unknown) =>
    (value ?? null) !== null && (schema === null || typeof value === "number" || !isEmpty(value))
  const known = schema ? pick(fields, Object.keys(schema.properties)) : fields
  return Object.fromEntries(Object.entries(known).filter(([, value]) => isKept(value)))
}

/** The JSON Schema of seed files, for editors: without rules for messages and formats of our own. */
export function seedJsonSchema(): string {
  const about = { $schema: "http://json-schema.org/draft-07/schema#", title: "penknife mock --seed" }
  const isOwn = (name: string, value: unknown) =>
    /^x-|^penknife-/.test(name === "format" ? String(value) : name)
  const without = (name: string, value: unknown) => (isOwn(name, value) ? undefined : value)
  return `${JSON.stringify({ ...about, ...seedSchema }, without, 2)}\n`
}
