import type { AdminAccess } from "../admin/admin-access.ts"
import { createAdministration } from "../admin/administration.ts"
import { createSignIn } from "../admin/sign-in.ts"
import { type AdminPartsOptions, createAdminParts, type RunningConfig } from "./admin-parts.ts"

/**
 * What the admin API of a running service works with.
 * @param running gives the present configuration. Each operation asks once, when it begins.
 */
export function createAdminAccess(running: () => RunningConfig, options: AdminPartsOptions): AdminAccess {
  return {
    administration: createAdministration(createAdminParts(running, options)),
    signIn: createSignIn(options.opened.admin, options.clock),
  }
}
