import { createId, createSecret, hashKey, isWellFormed } from "../../accounts/key.ts"
import type { Random } from "../../apis/contract.ts"
import type { AccountDetails, SessionKind, SessionRecord } from "../../store/admin-store.ts"
import { toIso } from "../../values/time-text.ts"
import { createAuditRecords } from "../audit/record.ts"
import type { Actor } from "../operation.ts"
import { personIdOf } from "../people/person.ts"
import type { VisitorWays } from "../sign-up/settings.ts"
import {
  findCallKey,
  findGrant,
  type Grant,
  type GrantParts,
  type SignInProof,
  stillGranted,
} from "./grant.ts"
import { SignInRefused } from "./refusal.ts"

export type { SessionKind } from "../../store/admin-store.ts"

/** The origin of a request. */
export interface RequestOrigin {
  /** The client's address. */
  readonly source: string
  readonly requestId: string
}

/** The session that a new one replaces, and a check that may refuse the new one. */
export interface OpenOptions {
  /** The cookie of the session that the new one replaces; null without one. */
  readonly replacedCookie: string | null
  /** Called with the owner of the new session before anything is written; it may throw. */
  readonly limit: (owner: string) => void
}

/** The session that a cookie names, with its owner. */
export interface FoundSession {
  readonly kind: SessionKind
  readonly actor: Actor
  /** The customer's account; null in the console. */
  readonly account: AccountDetails | null
  readonly expiresMs: number
}

/** A page's information about its session: the answer of `GET /console/session` and `GET /portal/session`. */
export type SessionAnswer =
  | SignedIn
  | {
      readonly signed_in: false
      /** How a visitor of the portal can get in without a key. */
      readonly ways?: VisitorWays
    }

/** A page's information about its session when someone is signed in. */
export interface SignedIn {
  readonly signed_in: true
  readonly kind: SessionKind
  readonly actor: { readonly id: string; readonly name: string }
  readonly permissions: readonly string[]
  /** The customer's account in the portal; null in the console. */
  readonly account: {
    readonly id: string
    readonly name: string
    readonly plan: string
    /** The price of the plan, as the operator wrote it; null if nothing is shown. */
    readonly price: string | null
    /** The most keys an account may have before its customers cannot create more. */
    readonly portal_keys: number
    /** Whether the plan has premium fields and parameters. */
    readonly premium: boolean
    /** Whether the service sends mail. */
    readonly mail: boolean
  } | null
  /** The operations that this session may run, such as `keys.create`. */
  readonly may: readonly string[]
  /** Sent with each write, as proof that it comes from a page of the service. */
  readonly csrf: string
  readonly expires: string
}

/** A session that was just opened. */
export interface OpenedSession extends FoundSession {
  /** The text of the cookie, which is given out only here. */
  readonly cookie: string
  readonly durationMs: number
}

const hourMs = 3_600_000
const durationsMs: Readonly<Record<SessionKind, number>> = { console: 12 * hourMs, portal: 24 * hourMs }

/** The most sessions of one owner. The oldest ends when another begins, so that sign-ins cannot fill the store. */
const maxSessions = 100

/** Signs people in with a browser, and out. Every method may reject with StoreUnavailable. */
export type Sessions = ReturnType<typeof createSessions>

/** Creates the sessions of the console and the portal, which are kept in the store. */
export function createSessions(parts: GrantParts & { readonly random: Random }) {
  const { admin, clock, random } = parts
  const newAuditRecord = createAuditRecords(random)

  function auditRecord(
    { kind, actor }: Omit<FoundSession, "expiresMs">,
    verb: "sign_in" | "sign_in_refused" | "sign_out" | "sign_up",
    after: Readonly<Record<string, unknown>> | null,
  ) {
    const target = { kind: "session", id: actor.session?.id ?? "", accountId: actor.account }
    return newAuditRecord(`${kind}.${verb}`, { target, after }, actor, clock.now())
  }

  async function begin(
    kind: SessionKind,
    grant: Grant,
    from: RequestOrigin,
    { replacedCookie, limit }: OpenOptions,
  ): Promise<OpenedSession> {
    limit(grant.owner)
    const replaced = replacedCookie === null ? null : await findRecord(kind, replacedCookie)
    const nowMs = clock.now()
    const session = toSession(kind, grant, createId("ses", random), nowMs)
    const found = { kind, actor: toActor(session, from), account: grant.account }
    const cookie = createSecret("sessionToken", random)
    const expires = toIso(session.expiresMs)
    const outcome = await admin.apply({
      mutations: [
        ...grant.mutations,
        ...(replaced ? [{ kind: "session.end", id: replaced.id } as const] : []),
        { kind: "session.insert", session, hash: hashKey(cookie), most: maxSessions },
      ],
      audit: auditRecord(found, grant.signUp ? "sign_up" : "sign_in", {
        by: grant.by,
        ...grant.signUp,
        expires,
        permissions: session.permissions,
        ...(replaced && { replaces: replaced.id }),
      }),
    })
    // Someone else has used the link or the challenge meanwhile.
    if (outcome === "missing") throw new SignInRefused(session.passkeyId === null ? "linkUsed" : "passkeyOld")
    if (outcome === "conflict" && session.passkeyId !== null) await refuseCopy(found, session.passkeyId)
    if (outcome === "taken") throw new SignInRefused("hasAccount")
    if (outcome !== "applied") throw new Error(`a session could not be opened: ${outcome}`)
    return { ...found, expiresMs: session.expiresMs, cookie, durationMs: session.expiresMs - nowMs }
  }

  return {
    /**
     * Opens a session with a link, which is then used up, with a key, or with a passkey.
     * @throws SignInRefused, and what `limit` throws
     */
    async open(kind: SessionKind, proof: SignInProof, from: RequestOrigin, options: OpenOptions) {
      return begin(kind, await findGrant(kind, proof, from.source, parts), from, options)
    },
    /**
     * Opens a session with rights that were found elsewhere, in one transaction with the mutations of the grant.
     * @throws SignInRefused, and what `limit` throws
     */
    begin,

    /** The session of a cookie; null without one, or when the key or link behind it has ended. Reads the store each time. */
    async find(kind: SessionKind, cookie: string, from: RequestOrigin): Promise<FoundSession | null> {
      const session = await findRecord(kind, cookie)
      const granted = session && (await stillGranted(session, from.source, parts))
      if (!session || !granted) return null
      const { account, permissions } = granted
      const actor = toActor({ ...session, permissions }, from)
      return { kind, actor, account, expiresMs: session.expiresMs }
    },

    /**
     * The hash of the key that a session calls APIs with; null where its account has no key that works.
     * @param source the client's address
     * @param api the API that it calls
     */
    findCallKey: (actor: Actor, source: string, api: string) => findCallKey(actor, source, api, parts),

    /** Ends a session, or all sessions of its owner. */
    async end(found: FoundSession, everywhere: boolean) {
      const { session } = found.actor
      if (!session) throw new Error("only a session can be ended")
      const outcome = await admin.apply({
        mutations: [
          everywhere
            ? { kind: "session.endAll", sessionKind: found.kind, owner: session.owner }
            : { kind: "session.end", id: session.id },
        ],
        audit: auditRecord(found, "sign_out", everywhere ? { everywhere } : null),
      })
      if (outcome !== "applied") throw new Error(`a session could not be ended: ${outcome}`)
    },
  }

  /**
   * Records that a passkey may have been copied, unless it was removed a moment ago.
   * @throws SignInRefused
   */
  async function refuseCopy(found: Omit<FoundSession, "expiresMs">, passkeyId: string): Promise<never> {
    const passkey = await admin.findPasskey(passkeyId)
    if (passkey === null) throw new SignInRefused("passkeyUnknown", passkeyId)
    const reason = "the counter did not rise: two devices have this passkey"
    const record = auditRecord(found, "sign_in_refused", { reason })
    const audit = { ...record, targetKind: "passkey", targetId: passkeyId }
    const outcome = await admin.apply({ mutations: [], audit })
    if (outcome !== "applied") throw new Error(`a refused sign-in could not be recorded: ${outcome}`)
    throw new SignInRefused("passkeyCloned", passkeyId)
  }

  async function findRecord(kind: SessionKind, cookie: string): Promise<SessionRecord | null> {
    if (!isWellFormed("sessionToken", cookie)) return null
    const session = await admin.findSession(hashKey(cookie))
    return session && session.kind === kind && session.expiresMs > clock.now() ? session : null
  }
}

function toSession(
  kind: SessionKind,
  { owner, name, permissions, adminKeyId, accountId, keyHash, passkeyId, expiresMs }: Grant,
  id: string,
  nowMs: number,
): SessionRecord {
  const given = { owner, name, permissions, adminKeyId, accountId, keyHash, passkeyId }
  return { id, kind, ...given, createdMs: nowMs, expiresMs: Math.min(nowMs + durationsMs[kind], expiresMs) }
}

function toActor(session: SessionRecord, { source, requestId }: RequestOrigin): Actor {
  const { id, kind, owner, name, permissions, adminKeyId, accountId, keyHash } = session
  return {
    // The audit log names people as actors, whichever session they use.
    id: personIdOf(owner) === null ? `${kind}:${id}` : owner,
    ...{ name, permissions, adminKeyId, source, requestId },
    account: accountId,
    session: { id, owner, keyHash },
  }
}
