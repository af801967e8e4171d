import type { AdminAccess } from "../admin/admin-access.ts"
import { createAdministration } from "../admin/administration.ts"
import { createSignIn } from "../admin/sign-in.ts"
import type { PreparedApi } from "../call/prepared-api.ts"
import type { Config } from "../config/load.ts"
import { type AdminPartsOptions, createAdminParts } from "./admin-parts.ts"

type AdminAccessOptions = Omit<AdminPartsOptions, "prices"> & { readonly apis: readonly PreparedApi[] }

/** What the admin API of a running service works with. */
export function createAdminAccess(config: Config, { apis, ...options }: AdminAccessOptions): AdminAccess {
  const prices = new Map(apis.map(({ definition, credits }) => [definition.id, credits]))
  return {
    administration: createAdministration(createAdminParts(config, { ...options, prices })),
    signIn: createSignIn(options.opened.admin, options.clock),
  }
}
