import type { AdminAccess } from "../admin/admin-access.ts"
import { createAdministration } from "../admin/administration.ts"
import { createSessions } from "../admin/sessions/sessions.ts"
import { createSignIn } from "../admin/sign-in.ts"
import { type AdminPartsOptions, createAdminParts, type RunningConfig } from "./admin-parts.ts"

/**
 * The parts that the admin API of a running service uses.
 * @param running returns the present configuration. Each operation asks once, when it begins.
 */
export function createAdminAccess(running: () => RunningConfig, options: AdminPartsOptions): AdminAccess {
  const { opened, clock, random, auditRandom = random } = options
  const { admin } = opened
  const signIn = createSignIn(admin, clock)
  return {
    administration: createAdministration(createAdminParts(running, options)),
    signIn,
    get plans() {
      return running().config.plans
    },
    // Signing in to the mock must not change the keys that it makes.
    sessions: createSessions({ admin, clock, random: auditRandom, signIn }),
  }
}
