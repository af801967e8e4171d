import type { Plans } from "../accounts/plan.ts"
import type { Administration } from "./administration.ts"
import type { Passkeys } from "./passkeys/ceremonies.ts"
import type { Sessions } from "./sessions/sessions.ts"
import type { SignIn } from "./sign-in.ts"

/** What surfaces over a network need of the administration. */
export interface AdminAccess {
  readonly administration: Administration
  readonly signIn: SignIn
  readonly sessions: Sessions
  readonly passkeys: Passkeys
  /** The plans of the running configuration. */
  readonly plans: Plans
}
