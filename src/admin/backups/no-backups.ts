import { AdminFault } from "../fault.ts"
import type { Backups } from "./backups.ts"

/** For a process that has no store to copy. */
export function noBackups(reason: string): Backups {
  const refuse = () => Promise.reject(new AdminFault("conflict", reason))
  return { requireRoom: refuse, create: refuse, list: refuse, verify: refuse, lastMs: async () => null }
}
