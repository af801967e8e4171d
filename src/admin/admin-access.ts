import type { Plans } from "../accounts/plan.ts"
import type { Administration } from "./administration.ts"
import type { Passkeys } from "./passkeys/ceremonies.ts"
import type { Sessions } from "./sessions/sessions.ts"
import type { SignIn } from "./sign-in.ts"
import type { SignUps } from "./sign-up/sign-ups.ts"
import type { Unsubscribes } from "./unsubscribe.ts"

/** The parts of the administration that surfaces over a network need. */
export interface AdminAccess {
  readonly administration: Administration
  readonly signIn: SignIn
  readonly sessions: Sessions
  readonly passkeys: Passkeys
  /** Sign-up and sign-in with links in mails. */
  readonly signUps: SignUps
  /** Links in mails that end notices by mail. */
  readonly unsubscribes: Unsubscribes
  /** The plans of the running configuration. */
  readonly plans: Plans
}
