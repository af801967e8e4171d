/** The portal, for customers. A screen is one line here; docs/web.md says how to make one. */
import { effect } from "@preact/signals"
import { useState } from "preact/hooks"
import { goInstead, path, query, setQuery } from "../client/address.ts"
import { signedOutAnswers } from "../client/request.ts"
import { ownAccount, session } from "../client/session.ts"
import { Options } from "../kit/field.tsx"
import { shapes } from "../kit/icon.tsx"
import { Empty, Page, Ready, Section } from "../kit/page.tsx"
import { Description } from "../kit/text.tsx"
import { toCustomer } from "../playground/call.ts"
import { firstApi, type OfferedApi } from "../playground/offered-api.ts"
import { Workbench } from "../playground/workbench.tsx"
import { AccountStatement } from "../shared/account-statement.tsx"
import { Adjustments } from "../shared/adjustments.tsx"
import { startApp } from "../shell/app.tsx"
import { type Screen, screensWith } from "../shell/frame.tsx"
import { GuestPage } from "./guest/guest-page.tsx"
import { coversPortal, takeMailLink } from "./guest/mail-link.ts"
import { KeysScreen } from "./keys/keys-screen.tsx"
import { toChoices, useCatalog } from "./playground-catalog.ts"
import { RequestsScreen } from "./requests/requests-screen.tsx"
import { UsageScreen } from "./usage/usage-screen.tsx"
import { WebhookScreen } from "./webhook/webhook-screen.tsx"

/** Tries an API: a form made from its parameters, the code of the call, the answer and what it cost. */
function PlaygroundScreen() {
  const catalog = useCatalog()
  return (
    <Page title="Playground" intro="Calls are real: a successful one costs its credits.">
      <Ready reading={catalog} what="the APIs">
        {(apis) => <ChooseApi apis={apis} />}
      </Ready>
    </Page>
  )
}

function ChooseApi({ apis }: { readonly apis: readonly OfferedApi[] }) {
  const [id] = useState("api-choice")
  const chosen = apis.find((api) => api.id === query.value.get("api")) ?? firstApi(apis)
  if (!chosen) return <Empty title="This service offers no APIs" />
  return (
    <>
      <div class="filter stack gap-1 api-choice">
        <label class="muted small" for={id}>
          API
        </label>
        <select id={id} value={chosen.id} onChange={(event) => setQuery({ api: event.currentTarget.value })}>
          <Options choices={toChoices(apis)} chosen={chosen.id} />
        </select>
      </div>
      <p class="intro muted">
        <Description text={chosen.description} /> <a href={`/apis/${chosen.id}`}>Documentation</a>
      </p>
      <Workbench
        key={chosen.id}
        api={chosen}
        customer={session.value ? toCustomer(session.value) : null}
        signedOut={noteSignedOut}
      />
    </>
  )
}

function noteSignedOut(): void {
  signedOutAnswers.value++
}

/** The icons of the screens of the portal, by name. */
const icons = {
  ...shapes,
  usage: "M4 20V4M4 20h16M8 16v-4M12.5 16V8M17 16v-6",
  webhook:
    "M9 8.5a3.5 3.5 0 1 1 5.5 2.8L17 16M12 8l-3.5 7.5M6.5 13.2A3.5 3.5 0 1 0 10 17.5h6m0 0a3 3 0 1 0 3-4.2",
} as const

const screenAt = screensWith(icons)
const screens: readonly Screen[] = [
  { path: "/", title: "Keys", icon: icons.keys, operation: "keys.list", component: KeysScreen },
  screenAt("usage", "Usage", "usage.query", UsageScreen),
  screenAt("requests", "Requests", "requests.list", RequestsScreen),
  screenAt("statements", "Statements", "statements.months", StatementsScreen),
  screenAt("playground", "Playground", null, PlaygroundScreen),
  screenAt("webhook", "Notices", "webhooks.get", WebhookScreen),
]

takeMailLink()

/** Pages for visitors. Someone who is signed in goes on to the portal. */
const visitorPages: readonly string[] = ["/sign-up", "/confirm"]
effect(() => {
  if (session.value && !coversPortal.value && visitorPages.includes(path.value)) goInstead("/")
})

startApp(screens, { guests: { Page: GuestPage, covers: coversPortal } })

/** The customer's own statements, and what was added to the bonus or taken from it. */
function StatementsScreen() {
  const account = ownAccount()
  return (
    <AccountStatement account={account} title="Statements">
      <Section title="Adjustments of credits">
        <Adjustments account={account} />
      </Section>
    </AccountStatement>
  )
}
