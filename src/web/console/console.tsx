/** The console, for operators. A screen is one line here; docs/web.md says how to make one. */

import { startApp } from "../shell/app.tsx"
import type { Screen } from "../shell/frame.tsx"
import { AccountScreen } from "./accounts/account-screen.tsx"
import { AccountsScreen } from "./accounts/accounts-screen.tsx"
import { AuditScreen } from "./audit/audit-screen.tsx"
import { BackupsScreen } from "./backups/backups-screen.tsx"
import { ErrorsScreen } from "./errors/errors-screen.tsx"
import { KeyScreen } from "./keys/key-screen.tsx"
import { KeysScreen } from "./keys/keys-screen.tsx"
import { NoticesScreen } from "./notices/notices-screen.tsx"
import { OverviewScreen } from "./overview/overview-screen.tsx"
import { PlansScreen } from "./plans/plans-screen.tsx"
import { RequestsScreen } from "./requests/requests-screen.tsx"

const screens: readonly Screen[] = [
  { path: "/", title: "Overview", icon: "overview", operation: null, component: OverviewScreen },
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
  {
    path: "/requests",
    title: "Requests",
    icon: "requests",
    operation: "requests.tail",
    component: RequestsScreen,
  },
  { path: "/errors", title: "Errors", icon: "errors", operation: "history.faults", component: ErrorsScreen },
  {
    path: "/notices",
    title: "Notices",
    icon: "notices",
    operation: "notices.list",
    component: NoticesScreen,
  },
  { path: "/plans", title: "Plans", icon: "plans", operation: "plans.list", component: PlansScreen },
  { path: "/audit", title: "Audit", icon: "audit", operation: "audit.list", component: AuditScreen },
  {
    path: "/backups",
    title: "Backups",
    icon: "backups",
    operation: "backups.list",
    component: BackupsScreen,
  },
]

startApp(screens)
