import type {
  AccountDetails,
  AdminChange,
  AdminKeyRecord,
  AuditRecord,
  KeyDetails,
  Mutation,
  NewReplay,
  Page,
} from "../../src/store/admin-store.ts"
import type { SecretRecord } from "../../src/store/store.ts"
import { accountOf, keyOf } from "./store.ts"

export const firstPage: Page = { limit: 100, after: null }

export function accountDetailsOf(change: Partial<AccountDetails> = {}): AccountDetails {
  const own = {
    version: 1,
    externalId: null,
    email: null,
    metadata: "{}",
    events: [],
    debt: 0,
    lastDay: "",
    notify: "webhook" as const,
  }
  return { ...accountOf(), ...own, ...change }
}

export function keyDetailsOf(change: Partial<KeyDetails> = {}): KeyDetails {
  return { ...keyOf(), version: 1, disabledMs: null, externalId: null, metadata: "{}", ...change }
}

export function adminKeyOf(change: Partial<AdminKeyRecord> = {}): AdminKeyRecord {
  const times = { createdMs: 1_000, expiresMs: null, revokedMs: null }
  return { id: "adm_1", name: "ci", prefix: "pka-AAAA", permissions: ["keys.*"], ...times, ...change }
}

export function secretOf(hash: string, createdMs = 1_000): SecretRecord {
  return { hash, prefix: `p-${hash}`, createdMs }
}

let audits = 0

/** An audit record with an id of its own. */
export const auditOf = (change: Partial<AuditRecord> = {}): AuditRecord => ({
  id: `aud_${String(++audits).padStart(6, "0")}`,
  atMs: 1_000,
  actor: "admin-key:adm_1",
  actorName: "ci",
  operation: "keys.update",
  targetKind: "key",
  targetId: "key_1",
  accountId: "acc_1",
  before: null,
  after: '{"name":"new"}',
  source: "192.0.2.1",
  requestId: "req_1",
  ...change,
})

export function replayOf(change: Partial<NewReplay> = {}): NewReplay {
  return { actor: "admin-key:adm_1", key: "again", payloadHash: "ff", createdMs: 1_000, ...change }
}

let entries = 0

/** Adds credits to an account, with an entry of its own. */
export function grantOf(id: string, credits: number, maxBonus: number): Mutation {
  const entry = { id: `adj_${++entries}`, accountId: id, atMs: 1_000, kind: "grant", credits } as const
  const more = { reason: "Granted", reference: null, undoes: null, madeBy: "ci" }
  return { kind: "account.adjust", id, entry: { ...entry, ...more }, maxBonus, mayOwe: false }
}

/** A change with an audit record of its own, and without a replay unless it is given. */
export function changeOf(mutations: readonly Mutation[], more: Partial<AdminChange> = {}): AdminChange {
  return { mutations, audit: auditOf(), replay: null, ...more }
}
