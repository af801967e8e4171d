/** The console, for operators. A screen is one line here; docs/web.md says how to make one. */

import { addOperations, type OperationFacts } from "../client/operations.ts"
import { startApp } from "../shell/app.tsx"
import { type Screen, screensWith } from "../shell/frame.tsx"
import { AccountScreen } from "./accounts/account-screen.tsx"
import { AccountsScreen } from "./accounts/accounts-screen.tsx"
import { AdminKeysScreen } from "./admin-keys/admin-keys-screen.tsx"
import { AuditScreen } from "./audit/audit-screen.tsx"
import { BackupsScreen } from "./backups/backups-screen.tsx"
import { ErrorsScreen } from "./errors/errors-screen.tsx"
import { icons } from "./icons.ts"
import { InvitationsScreen } from "./invitations/invitations-screen.tsx"
import { KeyScreen } from "./keys/key-screen.tsx"
import { KeysScreen } from "./keys/keys-screen.tsx"
import { MailsScreen } from "./mails/mails-screen.tsx"
import { NoticesScreen } from "./notices/notices-screen.tsx"
import { OverviewScreen } from "./overview/overview-screen.tsx"
import { PasskeySignIn } from "./people/passkey-sign-in.tsx"
import { PasskeysScreen } from "./people/passkeys-screen.tsx"
import { PeopleScreen } from "./people/people-screen.tsx"
import { PlansScreen } from "./plans/plans-screen.tsx"
import { RequestsScreen } from "./requests/requests-screen.tsx"
import { SearchWindow } from "./search/search-window.tsx"
import { SettingsScreen } from "./settings/settings-screen.tsx"
import { StatementScreen, StatementsScreen } from "./statements/statements-screen.tsx"

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
