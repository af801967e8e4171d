/** The console, for operators. A screen is one line here; docs/web.md says how to make one. */

import { startApp } from "../shell/app.tsx"
import type { Screen } from "../shell/screen.ts"
import { AccountScreen } from "./accounts/account-screen.tsx"
import { AccountsScreen } from "./accounts/accounts-screen.tsx"
import { KeyScreen } from "./keys/key-screen.tsx"
import { KeysScreen } from "./keys/keys-screen.tsx"
import { OverviewScreen } from "./overview/overview-screen.tsx"

const screens: readonly Screen[] = [
  {
    path: "/",
    title: "Overview",
    icon: "overview",
    operation: null,
    component: OverviewScreen,
  },
  {
    path: "/accounts",
    title: "Accounts",
    icon: "accounts",
    operation: "accounts.list",
    component: AccountsScreen,
    detail: AccountScreen,
  },
  {
    path: "/keys",
    title: "Keys",
    icon: "keys",
    operation: "keys.list",
    component: KeysScreen,
    detail: KeyScreen,
  },
]

startApp(screens)
