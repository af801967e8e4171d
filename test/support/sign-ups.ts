/** Sign-ups of a test: two workers of one service on a store, with the links that they mail. */
import { beforeEach, expect } from "bun:test"
import { createSecret } from "../../src/accounts/key.ts"
import { defaultPlans } from "../../src/accounts/plan.ts"
import { updateAccount } from "../../src/admin/accounts/change-account.ts"
import { createSessions } from "../../src/admin/sessions/sessions.ts"
import { createSignIn } from "../../src/admin/sign-in.ts"
import type { QuestionOrigin } from "../../src/admin/sign-up/ask.ts"
import { noSignUps, type SignUpSettings } from "../../src/admin/sign-up/settings.ts"
import { createSignUps, type SignUps } from "../../src/admin/sign-up/sign-ups.ts"
import { withToken } from "../../src/mail/compose.ts"
import { systemRandom } from "../../src/ports/random.ts"
import type { AdminStore } from "../../src/store/admin-reads.ts"
import type { NewMail } from "../../src/store/mails.ts"
import type { OpenStore } from "../../src/store/store-options.ts"
import { mailNetworksOf } from "../../src/values/ip.ts"
import { accountDetailsOf, changeOf, firstPage } from "./admin-store.ts"
import { openAdministration, type TestAdministration, type Values } from "./administration.ts"
import { useOpenStores } from "./any-store.ts"
import { createManualClock } from "./clock.ts"

export const hourMs = 3_600_000
export const newBrowser = () => createSecret("sessionToken", systemRandom)

/** Prepares new sign-ups for each test, on a store that `create` names. */
export function useSignUps(create: () => Promise<string>) {
  const openStore = useOpenStores()
  let settings: SignUpSettings
  let operator: TestAdministration
  const state = {
    clock: createManualClock(),
    admin: {} as AdminStore,
    /** As they are sent: with their tokens. */
    mails: [] as NewMail[],
    /** Two workers of one service. */
    first: {} as SignUps,
    second: {} as SignUps,
  }
  const acts = {
    set(change: Partial<SignUpSettings>) {
      settings = { ...settings, ...change }
    },
    /** Changes the account as an operator does. */
    change(values: Values) {
      operator.clock.set(new Date(state.clock.now()).toISOString())
      return operator.run(updateAccount, { id: "acc_1", ...values })
    },
    insertAccount: (id: string, email: string, closedMs: number | null = null) =>
      state.admin.apply({
        ...changeOf([{ kind: "account.insert", account: accountDetailsOf({ id, email, closedMs }) }]),
        audit: { ...changeOf([]).audit, id: `aud_${id}` },
      }),
    askFrom: (
      email: string,
      address: string,
      purpose: "sign-in" | "sign-up" = "sign-in",
      browser = newBrowser(),
    ) => state.first.ask({ for: purpose, email }, from(browser, address)),
    signUp: (email: string, browser = newBrowser(), more = {}) =>
      state.first.ask({ for: "sign-up", email, ...more }, from(browser)),
    signIn: (email: string, browser = newBrowser()) =>
      state.first.ask({ for: "sign-in", email }, from(browser)),
    confirm: (token: string, browser: string | null, more = {}, by = state.first) =>
      by.confirm({ token, ...more }, browser, from("none"), { replacedCookie: null, limit() {} }),
    /** The token in the last mail. */
    lastToken(): string {
      const { link } = JSON.parse(state.mails.at(-1)?.data ?? "{}")
      return String(link).split("=").at(-1) ?? ""
    },
    async link(email: string, browser = newBrowser(), more = {}) {
      expect(await acts.signUp(email, browser, more)).toBe("sent")
      return { browser, token: acts.lastToken() }
    },
    accounts: () => state.admin.accounts({}, firstPage),
    /** A link that cannot be used says so at once. */
    async expectRefused(token: string, browser: string | null, problem: string): Promise<void> {
      await expect(state.first.read(token, browser)).rejects.toThrow(problem)
      await expect(acts.confirm(token, browser)).rejects.toThrow(problem)
    },
  }

  beforeEach(async () => {
    const db = await create()
    state.clock = createManualClock()
    state.mails = []
    settings = { ...noSignUps, mode: "open", hasMail: true }
    state.first = worker(await openStore(db))
    state.second = worker(await openStore(db))
    const opened = await openStore(db)
    state.admin = opened.admin
    operator = openAdministration(opened)
  })

  const from = (browser: string, address = "192.0.2.1"): QuestionOrigin => ({
    ...{ browser, networks: mailNetworksOf(address), source: "192.0.2.1", requestId: "req_1" },
  })

  function worker({ admin: own, mails: outbox }: OpenStore): SignUps {
    const noted: AdminStore = {
      ...own,
      async apply(change) {
        const outcome = await own.apply(change)
        for (const one of change.mutations) {
          if (outcome !== "applied" || one.kind !== "mail.insert") continue
          const sent = await withToken(one.mail, outbox, one.mail.nowMs, systemRandom)
          if (sent) state.mails.push(sent)
        }
        return outcome
      },
    }
    const random = systemRandom
    const { clock } = state
    const sessions = createSessions({ admin: noted, clock, random, signIn: createSignIn(noted, clock) })
    return createSignUps(
      {
        ...{ admin: noted, clock, random, auditRandom: random },
        plans: new Map(defaultPlans.map((plan) => [plan.name, plan])),
        pages: { service: () => "", portal: () => "https://api.example", console: () => "" },
        get signUp() {
          return settings
        },
      },
      sessions,
    )
  }

  return Object.assign(state, acts)
}
