/** The portal, for customers. A screen is one line here; docs/web.md says how to make one. */

import { startApp } from "../shell/app.tsx"
import type { Screen } from "../shell/frame.tsx"
import { KeysScreen } from "./keys/keys-screen.tsx"
import { PlaygroundScreen } from "./playground-screen.tsx"
import { UsageScreen } from "./usage/usage-screen.tsx"
import { WebhookScreen } from "./webhook/webhook-screen.tsx"

const screens: readonly Screen[] = [
  { path: "/", title: "Keys", icon: "keys", operation: "keys.list", component: KeysScreen },
  { path: "/usage", title: "Usage", icon: "usage", operation: "usage.query", component: UsageScreen },
  {
    path: "/playground",
    title: "Playground",
    icon: "playground",
    operation: null,
    component: PlaygroundScreen,
  },
  {
    path: "/webhook",
    title: "Webhook",
    icon: "webhook",
    operation: "webhooks.get",
    component: WebhookScreen,
  },
]

startApp(screens)
