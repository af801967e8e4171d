import type { AuthenticationResponseJSON } from "@simplewebauthn/server"
import { hashKey, isWellFormed, kindOfKey, refusalOfKey } from "../../accounts/key.ts"
import type { Clock } from "../../apis/contract.ts"
import type { AdminStore } from "../../store/admin-reads.ts"
import type {
  AccountDetails,
  AdminKeyRecord,
  KeyDetails,
  Mutation,
  SessionKind,
  SessionRecord,
} from "../../store/admin-store.ts"
import { addressMatches, toNetworks } from "../../values/ip.ts"
import type { Actor } from "../operation.ts"
import { type PasskeySite, verifySignIn } from "../passkeys/ceremonies.ts"
import { ownerOf, personIdOf } from "../people/person.ts"
import { allows as allowsOperation, customerPermissions, inBoth, readingPermissions } from "../permission.ts"
import type { SignIn } from "../sign-in.ts"
import { type SessionRefusal, SignInRefused } from "./refusal.ts"

export interface GrantParts {
  readonly admin: AdminStore
  readonly clock: Clock
  readonly signIn: SignIn
}

/** The proof of a sign-in: the token of a link, a key, or what a passkey has signed. */
export type SignInProof = { readonly token: string } | { readonly key: string } | SignedByPasskey

interface SignedByPasskey {
  readonly passkey: AuthenticationResponseJSON
  readonly site: PasskeySite
  /** The cookie that its challenge is bound to; null without one. */
  readonly browser: string | null
}

/** The rights of a session that is opened with a proof. */
export interface Grant extends Omit<SessionRecord, "id" | "kind" | "createdMs"> {
  /** The kind and id of the proof, for the audit log. */
  readonly by: string
  /** Mutations that belong into the transaction of the sign-in. */
  readonly mutations: readonly Mutation[]
  /** The account of a customer. */
  readonly account: AccountDetails | null
  /** More for the audit log, when the session begins with a new account. */
  readonly signUp?: Readonly<Record<string, unknown>>
}

/** The parts of a grant that most proofs do not have. */
export const bareGrant = {
  ...{ adminKeyId: null, passkeyId: null, accountId: null, account: null, keyHash: null },
  expiresMs: Number.POSITIVE_INFINITY,
  mutations: [],
} as const

/**
 * Finds the rights of a proof.
 * @param source the client's address
 * @throws SignInRefused
 */
export function findGrant(kind: SessionKind, proof: SignInProof, source: string, parts: GrantParts) {
  if ("token" in proof) return grantOfLink(kind, proof.token, parts)
  if ("passkey" in proof) return grantOfPasskey(proof, parts)
  return kind === "console" ? grantOfAdminKey(proof.key, parts) : grantOfKey(proof.key, source, parts)
}

async function grantOfLink(kind: SessionKind, token: string, parts: GrantParts): Promise<Grant> {
  const { admin, clock } = parts
  if (!isWellFormed("linkToken", token)) throw new SignInRefused("linkMalformed")
  const hash = hashKey(token)
  const link = await admin.findSignInLink(hash)
  if (link === null || link.expiresMs <= clock.now()) throw new SignInRefused("linkUsed", link?.id)
  if (link.kind !== kind)
    throw new SignInRefused(link.kind === "console" ? "linkOfConsole" : "linkOfPortal", link.id)
  const { owner, name, adminKeyId, accountId } = link
  const permissions = await permissionsBehind(link, parts)
  if (permissions === null)
    throw new SignInRefused(personIdOf(owner) === null ? "linkRevoked" : "personRemoved", link.id)
  const account = accountId === null ? null : await admin.findAccount(accountId)
  if (account && account.closedMs !== null) throw new SignInRefused("accountClosed", link.id)
  return {
    ...{ ...bareGrant, owner, name, permissions, adminKeyId, accountId, account },
    by: `link ${link.id}`,
    mutations: [{ kind: "link.use", hash, nowMs: clock.now() }],
  }
}

async function grantOfAdminKey(text: string, { signIn }: GrantParts): Promise<Grant> {
  const { adminKey, refusal } = await signIn(text)
  if (refusal !== null) throw new SignInRefused(refusal, adminKey?.id)
  const { id, name, permissions, expiresMs } = adminKey
  return {
    ...{ ...bareGrant, owner: `admin-key:${id}`, name, permissions, adminKeyId: id },
    expiresMs: expiresMs ?? bareGrant.expiresMs,
    by: `admin key ${id}`,
  }
}

async function grantOfPasskey(
  { passkey: response, site, browser }: SignedByPasskey,
  { admin, clock }: GrantParts,
): Promise<Grant> {
  const proof = await verifySignIn(response, site, browser, { admin, clock })
  if ("refusal" in proof) throw new SignInRefused(proof.refusal, proof.subject, proof.why)
  const { passkey, counter, challenge } = proof
  const person = await admin.findPerson(passkey.personId)
  if (person === null || person.removedMs !== null) throw new SignInRefused("personRemoved", passkey.id)
  // Whoever could make someone else's passkey while that person had fewer permissions must not gain the others with it.
  const permissions = inBoth(passkey.permissions, person.permissions)
  if (permissions.length === 0) throw new SignInRefused("passkeyOutgrown", passkey.id)
  const nowMs = clock.now()
  return {
    ...{ ...bareGrant, owner: ownerOf(person.id), name: person.name, permissions, passkeyId: passkey.id },
    by: `passkey ${passkey.id}`,
    mutations: [
      { kind: "challenge.use", hash: challenge, nowMs },
      { kind: "passkey.use", id: passkey.id, counter, usedMs: nowMs },
    ],
  }
}

async function grantOfKey(text: string, source: string, parts: GrantParts): Promise<Grant> {
  if (!isWellFormed("key", text))
    throw new SignInRefused(kindOfKey(text) === "admin" ? "adminKey" : "keyMalformed")
  const keyHash = hashKey(text)
  const found = await parts.admin.findKeyByHash(keyHash)
  if (!found) throw new SignInRefused("keyUnknown")
  const { key } = found
  const refusal = refusalFrom(found, source, parts.clock.now())
  if (refusal !== null) throw new SignInRefused(refusal, key.id)
  const account = await parts.admin.findAccount(key.accountId)
  if (!account || account.closedMs !== null) throw new SignInRefused("accountClosed", key.id)
  return {
    ...{ ...bareGrant, owner: account.id, name: account.name, accountId: account.id, account, keyHash },
    permissions: isLimited(key) ? readingPermissions : customerPermissions,
    expiresMs: Math.min(
      key.expiresMs ?? Number.POSITIVE_INFINITY,
      found.secretUntilMs ?? Number.POSITIVE_INFINITY,
    ),
    by: `key ${key.id}`,
  }
}

/** Reads again which rights a session has; null when the key or link that opened it is no longer valid. */
export async function stillGranted(
  session: SessionRecord,
  source: string,
  parts: Omit<GrantParts, "signIn">,
) {
  const { accountId, keyHash } = session
  const { admin, clock } = parts
  let permissions = await permissionsBehind(session, parts)
  if (permissions === null) return null
  if (keyHash !== null) {
    const found = await admin.findKeyByHash(keyHash)
    if (!found || refusalFrom(found, source, clock.now()) !== null) return null
    if (isLimited(found.key)) permissions = permissions.filter((name) => readingPermissions.includes(name))
  }
  if (accountId === null) return { account: null, permissions }
  const account = await admin.findAccount(accountId)
  return account && account.closedMs === null ? { account, permissions } : null
}

/** How many keys of an account are read at once in search of one that works. Revoked ones stay in the list. */
const keysPerPage = 100

/**
 * The hash of the key that a session calls with: the key that opened it, or else a working key of its account, best without
 * limits, or else one that may call the API.
 * @param source the client's address
 * @param api the API that it calls
 * @returns null without an account, or where no key works
 */
export async function findCallKey(
  actor: Actor,
  source: string,
  api: string,
  { admin, clock }: Pick<GrantParts, "admin" | "clock">,
): Promise<string | null> {
  const { account, session } = actor
  if (account === null) return null
  if (session?.keyHash != null) return session.keyHash
  // A call spends the account's credits. The maker of the link could spend them with a key of their own, or not at all.
  if (!allowsOperation(actor.permissions, "keys.write")) return null
  let usable: KeyDetails[] = []
  let after: [number, string] | null = null
  do {
    const keys: readonly KeyDetails[] = await admin.keys(
      { accountId: account },
      { limit: keysPerPage, after },
    )
    usable = keys.filter((key) => refusalFrom({ key, secretUntilMs: null }, source, clock.now()) === null)
    const last = keys.at(keysPerPage - 1)
    after = last ? [last.createdMs, last.id] : null
  } while (after !== null && usable.length === 0)
  const chosen = usable.find((key) => !isLimited(key)) ?? usable.find((key) => allows(key, api)) ?? usable[0]
  return chosen ? admin.findSecretHash(chosen.id) : null
}

function allows({ allowApis, blockApis }: KeyDetails, api: string): boolean {
  return !blockApis.includes(api) && (allowApis === null || allowApis.includes(api))
}

/**
 * The permissions of a link or session that the person or the admin key behind it has too; null if they were removed, or if that
 * key is no longer valid.
 */
async function permissionsBehind(
  { owner, adminKeyId, permissions }: Pick<SessionRecord, "owner" | "adminKeyId" | "permissions">,
  { admin, clock }: Omit<GrantParts, "signIn">,
): Promise<readonly string[] | null> {
  const personId = personIdOf(owner)
  if (personId !== null) {
    const person = await admin.findPerson(personId)
    if (person === null || person.removedMs !== null) return null
    return inBoth(permissions, person.permissions)
  }
  if (adminKeyId === null) return permissions
  const key: AdminKeyRecord | null = await admin.findAdminKeyById(adminKeyId)
  const isValid = key?.revokedMs === null && (key.expiresMs === null || key.expiresMs > clock.now())
  return isValid ? inBoth(permissions, key.permissions) : null
}

/** The same rule as for a call of an API (`Admission.identify`). */
function refusalFrom(
  { key, secretUntilMs }: { readonly key: KeyDetails; readonly secretUntilMs: number | null },
  source: string,
  nowMs: number,
): SessionRefusal | null {
  const refusal = refusalOfKey(key, secretUntilMs, nowMs)
  if (refusal !== null || key.allowIps === null) return refusal
  return addressMatches(source, toNetworks(key.allowIps)) ? null : "keyAddress"
}

/** A key with limits must not make one without them. */
function isLimited({ expiresMs, allowApis, blockApis, allowIps, rateLimit }: KeyDetails): boolean {
  const limits = [expiresMs, allowApis, allowIps, rateLimit]
  return blockApis.length > 0 || limits.some((limit) => limit !== null)
}
