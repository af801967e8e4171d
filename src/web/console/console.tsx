/** The console, for operators. A screen is one line here; docs/web.md says how to make one. */

import { addOperations, type OperationFacts } from "../client/operations.ts"
import { shapes } from "../kit/icon.tsx"
import { startApp } from "../shell/app.tsx"
import { type Screen, screensWith } from "../shell/frame.tsx"
import { AccountScreen } from "./accounts/account-screen.tsx"
import { AccountsScreen } from "./accounts/accounts-screen.tsx"
import { AdminKeysScreen } from "./admin-keys/admin-keys-screen.tsx"
import { AuditScreen } from "./audit/audit-screen.tsx"
import { BackupsScreen } from "./backups/backups-screen.tsx"
import { ErrorsScreen } from "./errors/errors-screen.tsx"
import { InvitationsScreen } from "./invitations/invitations-screen.tsx"
import { KeyScreen, KeysScreen } from "./keys/keys-screen.tsx"
import { MailsScreen } from "./mails/mails-screen.tsx"
import { NoticesScreen } from "./notices/notices-screen.tsx"
import { OverviewScreen } from "./overview/overview-screen.tsx"
import { PasskeySignIn, PasskeysScreen, PeopleScreen } from "./people/people-screen.tsx"
import { PlansScreen } from "./plans/plans-screen.tsx"
import { RequestsScreen } from "./requests/requests-screen.tsx"
import { SearchWindow } from "./search/search-window.tsx"
import { SettingsScreen } from "./settings/settings-screen.tsx"
import { StatementScreen, StatementsScreen } from "./statements/statements-screen.tsx"

/** The icons of the screens of the console, by name. */
const icons = {
  ...shapes,
  overview: "M4 13h6V4H4zM14 20h6v-9h-6zM4 20h6v-3H4zM14 4v3h6V4z",
  accounts:
    "M9 11a3.5 3.5 0 1 0 0-7 3.5 3.5 0 0 0 0 7zM2.5 20c.5-3.5 3-5.5 6.5-5.5s6 2 6.5 5.5M16 4.5a3.5 3.5 0 0 1 0 6M18 15c2 .7 3.2 2.4 3.5 5",
  invitations: "M4 6.5h16v11H4zM4.5 7l7.5 6 7.5-6M15 20h6m-3-3v6",
  errors:
    "M12 8.5v4.5m0 3.5v.1M10.3 4.2 2.8 17.5A2 2 0 0 0 4.5 20.5h15a2 2 0 0 0 1.7-3L13.7 4.2a2 2 0 0 0-3.4 0z",
  notices: "M4 6.5h16v11H4zM4.5 7l7.5 6 7.5-6",
  mails: "M20.5 3.5 3.5 10.5l7 3 3 7zM10.5 13.5l10-10",
  plans: "M12 3.5 20.5 8 12 12.5 3.5 8zM3.5 12 12 16.5 20.5 12M3.5 16 12 20.5 20.5 16",
  audit: "M7 3.5h7.5L19 8v12.5H7zM14 3.5V8h5M10 12.5h6M10 16h6",
  backups:
    "M4 7c0-1.7 3.6-3 8-3s8 1.3 8 3-3.6 3-8 3-8-1.3-8-3zm0 0v10c0 1.7 3.6 3 8 3s8-1.3 8-3V7M4 12c0 1.7 3.6 3 8 3s8-1.3 8-3",
  people: "M12 11.5a3.5 3.5 0 1 0 0-7 3.5 3.5 0 0 0 0 7zM5 20c.5-3.5 3.3-5.5 7-5.5s6.5 2 7 5.5",
  "admin-keys": "M5 10.5h14v10H5zM8 10.5V7a4 4 0 0 1 8 0v3.5M12 14.5v2.5",
  settings: "M4 7h9M17 7h3M15 9.5v-5M4 17h3M11 17h9M9 19.5v-5M4 12h3M11 12h9",
  passkeys:
    "M9 11a3.5 3.5 0 1 0 0-7 3.5 3.5 0 0 0 0 7zM2.5 20c.5-3.5 3-5.5 6.5-5.5M17 13a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5zm0 0v7.5l2-1.5-1.2-1.5L19 16",
} as const

const screenAt = screensWith(icons)
const screens: readonly Screen[] = [
  { path: "/", title: "Overview", icon: icons.overview, operation: null, component: OverviewScreen },
  screenAt("accounts", "Accounts", "accounts.list", AccountsScreen, AccountScreen),
  screenAt("invitations", "Invitations", "invitations.list", InvitationsScreen),
  screenAt("keys", "Keys", "keys.list", KeysScreen, KeyScreen),
  screenAt("requests", "Requests", "requests.tail", RequestsScreen),
  screenAt("errors", "Errors", "history.faults", ErrorsScreen),
  screenAt("notices", "Notices", "notices.list", NoticesScreen),
  screenAt("mails", "Mails", "mails.list", MailsScreen),
  screenAt("statements", "Statements", "statements.list", StatementsScreen, StatementScreen),
  screenAt("plans", "Plans", "plans.list", PlansScreen),
  screenAt("audit", "Audit", "audit.list", AuditScreen),
  screenAt("backups", "Backups", "backups.list", BackupsScreen),
  screenAt("settings", "Settings", "config.list", SettingsScreen),
  screenAt("people", "People", "people.list", PeopleScreen),
  screenAt("admin-keys", "Admin keys", "admins.list", AdminKeysScreen),
  screenAt("passkeys", "Your passkeys", "passkeys.list", PasskeysScreen),
]

/** The bundler puts them here, from the definitions. */
declare const OPERATOR_OPERATIONS: OperationFacts
addOperations(OPERATOR_OPERATIONS)
startApp(screens, { otherSignIn: PasskeySignIn, search: SearchWindow })
