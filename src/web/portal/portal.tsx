/** The portal, for customers. A screen is one line here; docs/web.md says how to make one. */

import { effect } from "@preact/signals"
import { goInstead, path } from "../client/address.ts"
import { session } from "../client/session.ts"
import { startApp } from "../shell/app.tsx"
import { type Screen, screensWith } from "../shell/frame.tsx"
import { GuestPage } from "./guest/guest-page.tsx"
import { coversPortal, takeMailLink } from "./guest/mail-link.ts"
import { icons } from "./icons.ts"
import { KeysScreen } from "./keys/keys-screen.tsx"
import { PlaygroundScreen } from "./playground-screen.tsx"
import { RequestsScreen } from "./requests/requests-screen.tsx"
import { StatementsScreen } from "./statements/statements-screen.tsx"
import { UsageScreen } from "./usage/usage-screen.tsx"
import { WebhookScreen } from "./webhook/webhook-screen.tsx"

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
