import { hashKey } from "../accounts/key.ts"
import type { Plans } from "../accounts/plan.ts"
import type { OptionalEvent } from "../admin/accounts/account.ts"
import { newAccountOn } from "../admin/accounts/new-account.ts"
import type { Accounts, NewKey } from "../admin/program-accounts.ts"
import type { Admission } from "../call/admission.ts"
import type { MockClock } from "../ports/mock-ports.ts"
import type { AdminStore } from "../store/admin-reads.ts"
import type { Mutation } from "../store/admin-store.ts"
import { type Store, StoreUnavailable } from "../store/store.ts"
import { dayMs, latestMs } from "../values/time-text.ts"

/** The key whose plan `--plan` sets. */
export const defaultKey = "mock-key"

/** The admin key. */
export const adminKeyName = "mock-admin"

/** The token of a link that signs in to the console, as often as one likes. */
export const consoleLinkToken = "mock-console-link"

/** Keys that need no set-up, and what each shows. */
export const magicKeys: Readonly<Record<string, string>> = {
  [defaultKey]: "an account on the plan that --plan names",
  "mock-free": "a free account",
  "mock-pro": "a pro account, with premium fields",
  "mock-expiring": "a pro account; the key expires after 30 days",
  "mock-expired": "401, the key has expired",
  "mock-revoked": "401, the key is revoked",
  "mock-forbidden": "403, the key is bound to an address that no client has",
  "mock-no-credits": "429, the month's credits are used up",
  "mock-rate-limited": "429, throttled: one call a minute, already made",
  "mock-unavailable": "503 on every call: the store does not answer",
  [adminKeyName]: "the admin API and the console, with every permission",
}

const magicKeyForm = new RegExp(`^(${Object.keys(magicKeys).join("|")})(?:-[0-9A-Za-z-]+)?$`)

/**
 * The magic key that a text stands for, with or without a tail: `mock-pro-0123456789abcdef0123456789abcdef` is `mock-pro`.
 * Tails are for clients that check the length of a key. Null for any other text.
 */
export function toMagicKey(text: string): string | null {
  return magicKeyForm.exec(text)?.[1] ?? null
}

/** Whether a key in a fault or a filter means the key of a request. Without a tail, a magic key means itself with any tail. */
export function keyMatches(wanted: string, sent: string | null): boolean {
  return sent !== null && (wanted === sent || wanted === toMagicKey(sent))
}

/** TEST-NET-1 (RFC 5737): no request comes from there. */
const unusedAddress = "192.0.2.1"

interface SeedParts {
  readonly store: Store
  readonly admin: AdminStore
  readonly accounts: Accounts
  readonly plans: Plans
  readonly clock: MockClock
  /** The plan of {@link defaultKey}. */
  readonly plan: string
  /** The webhook of all accounts; null for none. */
  readonly webhook: { readonly url: string; readonly secret: string; readonly allowPrivate: boolean } | null
  /** Accounts and keys of the seed. A key with the name of a magic key takes the place of that key. */
  readonly seed?: { readonly mutations: readonly Mutation[]; readonly names: ReadonlyMap<string, string> }
}

/** Real keys by their names. */
type KeyNames = Map<string, string>

/** Makes an account and a key in the state that each name promises. Returns the real keys by name. */
export async function seedMagicKeys({ store, admin, accounts, clock, webhook, seed, ...parts }: SeedParts) {
  const names = new Map(seed?.names)
  const accountIds = new Set<string>()
  const startMs = clock.now()
  if (seed) {
    const audit = toAudit("aud_mockSeed", "accounts.import", "all", startMs)
    const outcome = await admin.apply({ mutations: seed.mutations, audit })
    if (outcome !== "applied") throw new Error(`the seed of the mock is ${outcome}`)
  }

  async function issue(name: string, accountId: string, more: Partial<NewKey> = {}): Promise<string> {
    const { id, key } = await accounts.createKey({ accountId, name, ...more })
    names.set(name, key)
    accountIds.add(accountId)
    return id
  }
  /** Makes an account and its key, and returns the key's id; null if the seed has the key. */
  async function issueOn(planName: string, name: string, more?: Partial<NewKey>, events?: OptionalEvent[]) {
    return names.has(name) ? null : issue(name, (await accounts.create(name, planName, events)).id, more)
  }

  // A key can only be made before it expires.
  clock.set(startMs - 60 * dayMs)
  await issueOn("pro", "mock-expired", { expiresMs: startMs - 30 * dayMs })
  clock.set(startMs)

  await issueOn(parts.plan, defaultKey)
  await issueOn("free", "mock-free")
  await issueOn("pro", "mock-pro")
  const expiresMs = Math.min(startMs + 30 * dayMs, latestMs)
  await issueOn("pro", "mock-expiring", { expiresMs }, ["key.expiring"])
  const revoked = await issueOn("pro", "mock-revoked")
  if (revoked !== null) await accounts.revokeKey(revoked)
  await issueOn("pro", "mock-forbidden", { allowIps: [unusedAddress] })
  await issueOn("pro", "mock-unavailable")

  if (!names.has("mock-no-credits"))
    await issue("mock-no-credits", await createSpentAccount(admin, parts.plans, startMs))

  await issueOn("pro", "mock-rate-limited", { rateLimit: 1 })
  const throttled = await admin.findKeyByHash(hashKey(realKey(names, "mock-rate-limited")))
  await store.takeRates([{ buckets: [{ id: throttled?.key.id ?? "", perMinute: 1 }] }], clock.now)
  if (webhook !== null) {
    const mutations = [...accountIds].map(
      (accountId) => ({ kind: "webhook.set", accountId, webhook }) as const,
    )
    const audit = toAudit("aud_mockWebhooks", "webhooks.set", "all", startMs)
    await admin.apply({ mutations, audit })
  }
  return names
}

/** Creates an account whose credits are used up without a call: no usage, no notice. Its plan is pro unless that is unlimited. */
async function createSpentAccount(admin: AdminStore, plans: Plans, nowMs: number): Promise<string> {
  const pro = plans.get("pro")
  const limited = [...(pro ? [pro] : []), ...plans.values()].find((plan) => plan.monthlyCredits !== null)
  if (!limited) throw new Error("mock-no-credits needs a plan with limited credits, and none is configured")
  const id = "acc_mockNoCredits"
  const spent = { used: limited.monthlyCredits ?? 0, bonus: 0 }
  const own = { id, name: "mock-no-credits", ...spent, events: ["credits.exhausted", "month.renewed"] }
  const account = newAccountOn(limited, own, nowMs)
  const audit = toAudit("aud_mockNoCredits", "accounts.create", id, nowMs)
  await admin.apply({ mutations: [{ kind: "account.insert", account }], audit })
  return id
}

/** The audit record of a change that no operation makes. */
export function toAudit(id: string, operation: string, targetId: string, atMs: number) {
  const by = { actor: "service", actorName: "the mock", source: "this process", requestId: "" }
  const accountId = targetId.startsWith("acc_") ? targetId : null
  const target = { targetKind: "account", targetId, accountId, before: null, after: null }
  return { id, atMs, operation, ...by, ...target }
}

/** The key that a text stands for: one of the seed, a magic key, or the text itself. */
export function realKey(names: ReadonlyMap<string, string>, text: string): string {
  return names.get(text) ?? names.get(toMagicKey(text) ?? "") ?? text
}

/** An admission that also takes magic keys. */
export function nameKeys(admission: Admission, names: KeyNames): Admission {
  return {
    ...admission,
    identify: (key) => admission.identify(key && realKey(names, key)),
  }
}

/** A store that does not answer a look-up of `key`. */
export function withoutAnswerFor(
  store: Store,
  key: string,
): Pick<Store, "findKey" | "findKeyAnew" | "takeRates"> {
  const hash = hashKey(key)
  return {
    findKeyAnew: (secretHash, accountId) => store.findKeyAnew(secretHash, accountId),
    takeRates: (takes, now) => store.takeRates(takes, now),
    async findKey(secretHash) {
      if (secretHash === hash) throw withoutStack(new StoreUnavailable("the key mock-unavailable was used"))
      return store.findKey(secretHash)
    },
  }
}

/** Removes the stack of an error that the user of the mock asked for, so that the log does not show it. */
export function withoutStack<E extends Error>(error: E): E {
  error.stack = `${error.name}: ${error.message}`
  return error
}
