import type { Plans } from "../accounts/plan.ts"
import type { Administration } from "./administration.ts"
import type { Sessions } from "./sessions/sessions.ts"
import type { SignIn } from "./sign-in.ts"

/** What a way in over a network works with. */
export interface AdminAccess {
  readonly administration: Administration
  readonly signIn: SignIn
  readonly sessions: Sessions
  /** Of the configuration that runs. */
  readonly plans: Plans
}
