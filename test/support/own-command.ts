import { writeFileSync } from "node:fs"
import { join } from "node:path"
import type { Backups, VerifiedBackup } from "../../src/admin/backups/backups.ts"
import { AdminFault } from "../../src/admin/fault.ts"
import { createRunOwnCommand, type RunOwnCommand } from "../../src/ports/own-process.ts"

const built = process.env.PENKNIFE_TEST_PROGRAM

/**
 * The command that runs the program: in the check the executable that it has built, which starts in a quarter of the processor
 * time, else the sources.
 */
export const program = built
  ? ([built] as const)
  : ([process.execPath, join(import.meta.dir, "../../src/main.ts")] as const)

/** Runs a command of the program in a process of its own. */
export const ownCommand = createRunOwnCommand(program, {})

/** Stands in for the commands that copy and check, where a test is about something else. */
export const pretendCommand: RunOwnCommand = async ([command, file = ""]) => {
  if (command === "backup") writeFileSync(file, "a copy", { flag: "wx" })
  return { exitCode: 0, output: JSON.stringify({ store_version: 1, accounts: 0, keys: 0 }), errors: "" }
}

/** Backups that are only names. */
export function pretendBackups(): Backups {
  const made = new Map<string, VerifiedBackup>()
  return {
    async requireRoom(name) {
      if (made.has(name)) throw new AdminFault("conflict", "taken")
    },
    async create(name) {
      const backup = { name, bytes: 1, madeMs: 0, storeVersion: 1, accounts: 0, keys: 0 }
      made.set(name, backup)
      return backup
    },
    list: async () => [...made.values()],
    async verify(name) {
      const backup = made.get(name)
      if (backup) return backup
      throw new AdminFault("not-found", "none")
    },
    async open(name) {
      const backup = made.get(name)
      if (!backup) throw new AdminFault("not-found", "none")
      return { ...backup, chunks: new Blob(["x"]).stream(), close: async () => {} }
    },
    async remove(name) {
      made.delete(name)
    },
    lastMs: async () => null,
  }
}
