/**
 * Walks from one permission over all operations of the administration, as a colleague would who wants more: which keys, credits
 * and permissions are within three steps. It runs the real operations, so a new one takes part without a word here. Files and
 * streams are left out: they answer nothing that signs in.
 */

import { reopenAccount, updateAccount } from "../../src/admin/accounts/change-account.ts"
import { createAccount } from "../../src/admin/accounts/create-account.ts"
import { createAdmin } from "../../src/admin/admins/create-admin.ts"
import { adjustCredits } from "../../src/admin/credits/adjust-credits.ts"
import { AdminFault } from "../../src/admin/fault.ts"
import { createApiKey } from "../../src/admin/keys/issue-key.ts"
import type { Actor, Operation } from "../../src/admin/operation.ts"
import { operations } from "../../src/admin/operations.ts"
import { createPasskeys } from "../../src/admin/passkeys/ceremonies.ts"
import { createPerson, updatePerson } from "../../src/admin/people/change-people.ts"
import { covers, customerPermissions, type Permission } from "../../src/admin/permission.ts"
import { SignInRefused } from "../../src/admin/sessions/refusal.ts"
import { createSessions } from "../../src/admin/sessions/sessions.ts"
import { createSignIn } from "../../src/admin/sign-in.ts"
import { createSignUps } from "../../src/admin/sign-up/sign-ups.ts"
import { choicesOf } from "../../src/apis/contract.ts"
import { systemTimer } from "../../src/ports/timer.ts"
import { openSqliteStore } from "../../src/store/sqlite/open-sqlite.ts"
import { actorOf, openAdministration, type Values } from "./administration.ts"
import { createAuthenticator, type TestAuthenticator } from "./authenticator.ts"
import { createTestPasskey } from "./passkeys.ts"

/** Everything worth having, in the words of docs/admin-api.md. */
export type Prize =
  | "every permission"
  | `the permission ${string}`
  | "a key of any account"
  | "credits of any account"
  | "a key of a new account on any plan"
  | "a key of a new account on the plan of the settings"

/** Each prize with the steps of the first way that was found. */
type Reach = ReadonlyMap<Prize, readonly string[]>

interface Identity {
  readonly steps: readonly string[]
  /** Reads again what it may do; null once it is over. */
  current(): Promise<Actor | null>
}

const rounds = 3
const site = { origin: "http://localhost", rpId: "localhost" }
const from = { source: "192.0.2.66", requestId: "req_66" }
const noLimit = { replacedCookie: null, limit: () => {} }
const ownAddress = /@evil\.example$/

/**
 * Finds what someone reaches who has an admin key with one permission.
 * @param list the operations that exist
 */
export async function reachOf(
  permission: Permission,
  list: readonly Operation[] = operations,
): Promise<Reach> {
  const opened = openSqliteStore(":memory:", { timer: systemTimer })
  try {
    return await walk(permission, list, openAdministration(opened))
  } finally {
    await opened.store.close()
  }
}

async function walk(
  permission: Permission,
  list: readonly Operation[],
  honest: ReturnType<typeof openAdministration>,
): Promise<Reach> {
  const { parts, administration, opened, clock } = honest
  const { admin } = opened
  const signIn = createSignIn(admin, clock)
  const sessions = createSessions({ ...parts, signIn })
  const passkeys = createPasskeys(parts)
  const signUps = createSignUps(parts, sessions)
  const idOf = async (operation: Operation, values: Values) =>
    String((await honest.run(operation, values)).id)

  const victim = await idOf(createAccount, { name: "Victim", email: "victim@example.com" })
  const key = await idOf(createApiKey, { account: victim, name: "ci" })
  const adjustment = await idOf(adjustCredits, { id: victim, credits: -100, reason: "Refund" })
  const boss = await idOf(createPerson, { name: "Boss" })
  /** Others with every permission, whom it may remove. */
  async function newSpare() {
    const psn = await idOf(createPerson, { name: "Spare" })
    const adm = await idOf(createAdmin, { name: "spare" })
    return { psn, psk: await createTestPasskey(admin, psn), adm }
  }
  let spare = await newSpare()
  const bossPasskey = await createTestPasskey(admin, boss)

  const prizes = new Map<Prize, readonly string[]>()
  const identities = new Map<string, Identity>()
  const authenticators: { readonly device: TestAuthenticator; readonly steps: readonly string[] }[] = []
  let addresses = 0

  function win(prize: Prize, steps: readonly string[]): void {
    const earlier = prizes.get(prize)
    if (!earlier || earlier.length > steps.length) prizes.set(prize, steps)
  }

  async function become(identity: Identity): Promise<void> {
    const actor = await identity.current()
    if (actor === null) return
    const { permissions, account } = actor
    // A customer has permissions for their own account alone.
    if (account === null) {
      if (permissions.includes("*")) return win("every permission", identity.steps)
      for (const one of permissions)
        if (!covers([permission], one)) win(`the permission ${one}`, identity.steps)
    }
    const name = `${account} ${permissions.toSorted().join(" ")}`
    if (!identities.has(name)) identities.set(name, identity)
  }

  async function useKey(text: string, steps: readonly string[]): Promise<void> {
    await become({
      steps,
      async current() {
        const { adminKey, refusal } = await signIn(text)
        if (adminKey === null || refusal !== null) return null
        return actorOf({
          id: `admin-key:${adminKey.id}`,
          adminKeyId: adminKey.id,
          permissions: adminKey.permissions,
        })
      },
    })
  }

  async function useSession(kind: "console" | "portal", cookie: string, steps: readonly string[]) {
    await become({ steps, current: async () => (await sessions.find(kind, cookie, from))?.actor ?? null })
  }

  async function useLink(url: string, steps: readonly string[]): Promise<void> {
    const [, token = ""] = url.split("=")
    if (url.includes("#invitation=")) {
      const { opened: session, key: text } = await signUps.confirm({ token }, null, from, noLimit)
      if (text !== null) await winKey(String(session.actor.account), steps)
      return useSession("portal", session.cookie, steps)
    }
    const kind = url.includes("/portal") ? "portal" : "console"
    const session = await sessions.open(kind, { token }, from, noLimit)
    await useSession(kind, session.cookie, steps)
    if (!url.includes("/console/passkeys")) return
    const { challenge } = await passkeys.addOptions(session.actor, site)
    const device = await createAuthenticator(site.origin, session.actor.id.replace("person:", ""))
    await passkeys.add(session.actor, site, "Mine", await device.make(challenge))
    authenticators.push({ device, steps })
  }

  async function winKey(account: string, steps: readonly string[]): Promise<void> {
    const plan = (await admin.findAccount(account))?.plan
    if (account === victim) win("a key of any account", steps)
    else
      win(
        `a key of a new account on ${plan === parts.signUp.plan ? "the plan of the settings" : "any plan"}`,
        steps,
      )
  }

  /** Looks for prizes in an answer and in the store, and uses every secret. */
  async function look(output: Values, steps: readonly string[], worth: number): Promise<void> {
    const { key: text, url } = output
    if (typeof text === "string" && text.startsWith("pka-")) await useKey(text, steps)
    if (typeof text === "string" && text.startsWith("pk-")) await winKey(String(output.account), steps)
    if (typeof url === "string" && url.includes("#")) await useLink(url, steps)
    if ((await worthOfVictim()) > worth) win("credits of any account", steps)
    for (const { id, email } of await admin.accounts({}, { limit: 1_000, after: null })) {
      if (email === null || !ownAddress.test(email)) continue
      const actor = actorOf({ id: `portal:${id}`, account: id, permissions: customerPermissions })
      await become({ steps: [...steps, "sign in by mail"], current: async () => actor })
    }
  }

  async function worthOfVictim(): Promise<number> {
    const account = await admin.findAccount(victim)
    if (account === null) throw new Error("the account is gone")
    return account.bonus - account.debt + (parts.plans.get(account.plan)?.monthlyCredits ?? 0)
  }

  /** The others notice damage at once, and the loss of permissions a little later. */
  async function repair(): Promise<void> {
    const account = await admin.findAccount(victim)
    if (account?.closedMs != null) await honest.run(reopenAccount, { id: victim })
    const asBefore = { email: "victim@example.com", plan: "free" }
    if (account?.email !== asBefore.email || account.plan !== asBefore.plan)
      await honest.run(updateAccount, { id: victim, ...asBefore })
    const isPersonHere = (await admin.findPerson(spare.psn))?.removedMs === null
    const isKeyHere = (await admin.findAdminKeyById(spare.adm))?.revokedMs === null
    if (!isPersonHere || !isKeyHere || (await admin.passkeysOf(spare.psn)).length === 0)
      spare = await newSpare()
  }

  async function restorePermissions(): Promise<void> {
    await honest.run(updatePerson, { id: boss, may: ["*"] })
    for (const { device, steps } of authenticators) {
      const browser = "pks-mine"
      const { challenge } = await passkeys.signInOptions(site, browser)
      const passkey = await device.sign(challenge)
      const { cookie } = await sessions.open("console", { passkey, site, browser }, from, noLimit)
      await useSession("console", cookie, [...steps, "sign in by passkey later"])
    }
  }

  /** The values to try for a parameter, by its name and its example; undefined leaves it out. */
  function choices(name: string, { example: all, isFinal }: Operation, actor: Actor): readonly unknown[] {
    const example = all[name]
    // Each account has an address of its own.
    const email = () => `me${addresses++}@evil.example`
    const things = { acc: victim, key, adj: adjustment }
    const people = isFinal ? spare : { ...spare, psn: boss, psk: bossPasskey }
    const ids: Readonly<Record<string, string>> = { ...things, ...people }
    if (name === "expires" || name === "dry_run") return [undefined]
    if (name === "email") return [undefined, email]
    if (name === "plan") return [undefined, "pro"]
    if (name === "may") return [["*"], actor.permissions]
    if (name === "credits") return [1_000]
    if (name === "accounts") return [() => [{ name: "Mine", plan: "pro", email: email() }]]
    if (name === "changes")
      return [{ public_url: "https://evil.example" }, { "plans.free.monthly_credits": 1_000_000 }]
    if (typeof example !== "string") return [example]
    const id = ids[example.slice(0, 3)]
    return example.startsWith("acc_") && actor.account !== null ? [actor.account] : [id ?? example]
  }

  /** The inputs to try for an operation. Those of a bulk run each other operation that it offers, for one thing. */
  function inputsOf(operation: Operation, actor: Actor): readonly Record<string, unknown>[] {
    if (operation.run.kind === "bulk") {
      const { operation: choice } = operation.input.properties
      const ids = (choice && choicesOf(choice)) ?? []
      const offered = list.filter(({ id }) => ids.includes(id))
      return offered.flatMap((one) =>
        inputsOf(one, actor).map((values) => ({ operation: one.id, items: () => [made(values)] })),
      )
    }
    let inputs: Record<string, unknown>[] = [{}]
    for (const name of Object.keys(operation.input.properties)) {
      const values = choices(name, operation, actor)
      inputs = inputs.flatMap((input) =>
        values.map((value) => (value === undefined ? input : { ...input, [name]: value })),
      )
    }
    return inputs
  }

  function made(input: Readonly<Record<string, unknown>>): Values {
    return Object.fromEntries(
      Object.entries(input).map(([name, value]) => [name, typeof value === "function" ? value() : value]),
    )
  }

  async function tryOperation(operation: Operation, identity: Identity): Promise<void> {
    const actor = await identity.current()
    if (actor === null) return
    for (const input of inputsOf(operation, actor)) {
      const values = made(input)
      const worth = await worthOfVictim()
      try {
        const { output } = await administration.run(operation, { kind: "typed", values }, actor)
        const steps = [...identity.steps, operation.id]
        await look(output as Values, steps, worth)
        lookAtSettings(values.changes, steps)
      } catch (thrown) {
        if (!(thrown instanceof AdminFault || thrown instanceof SignInRefused)) throw thrown
        continue
      }
      await repair()
    }
  }

  /** Settings of these tests change nothing, so their meaning is written here. */
  function lookAtSettings(changes: unknown, steps: readonly string[]): void {
    if (typeof changes !== "object" || changes === null) return
    if ("public_url" in changes)
      win("every permission", [...steps, "get the token of someone's link at the new address"])
    else win("credits of any account", steps)
  }

  const { key: first } = await honest.run(createAdmin, { name: "first", may: [permission] })
  await useKey(String(first), [])
  for (let round = 0; round < rounds; round++) {
    for (const identity of [...identities.values()]) {
      for (const operation of list)
        if (["read", "change", "bulk"].includes(operation.run.kind)) await tryOperation(operation, identity)
    }
    await restorePermissions()
  }
  return prizes
}
