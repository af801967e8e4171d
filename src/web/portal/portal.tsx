/** The portal, for customers. A screen is one line here; docs/web.md says how to make one. */

import { startApp } from "../shell/app.tsx"
import { type Screen, screenAt } from "../shell/frame.tsx"
import { GuestPage } from "./guest/guest-page.tsx"
import { coversPortal, takeMailLink } from "./guest/mail-link.ts"
import { KeysScreen } from "./keys/keys-screen.tsx"
import { PlaygroundScreen } from "./playground-screen.tsx"
import { RequestsScreen } from "./requests/requests-screen.tsx"
import { StatementsScreen } from "./statements/statements-screen.tsx"
import { UsageScreen } from "./usage/usage-screen.tsx"
import { WebhookScreen } from "./webhook/webhook-screen.tsx"

const screens: readonly Screen[] = [
  { path: "/", title: "Keys", icon: "keys", operation: "keys.list", component: KeysScreen },
  screenAt("usage", "Usage", "usage.query", UsageScreen),
  screenAt("requests", "Requests", "requests.list", RequestsScreen),
  screenAt("statements", "Statements", "statements.months", StatementsScreen),
  screenAt("playground", "Playground", null, PlaygroundScreen),
  screenAt("webhook", "Webhook", "webhooks.get", WebhookScreen),
]

takeMailLink()
startApp(screens, { guests: { Page: GuestPage, covers: coversPortal } })
