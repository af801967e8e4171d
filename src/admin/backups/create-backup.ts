import { Type } from "@sinclair/typebox"
import type { Clock, Random } from "../../apis/contract.ts"
import { defineChange } from "../operation.ts"
import { backupName, showVerified, verifiedSchema } from "./backup.ts"

export const createBackup = defineChange({
  id: "backups.create",
  title: "Make a backup",
  description:
    "Copies the data file into the directory that `--backup-dir` names, and checks the copy. Calls go on meanwhile.",
  permission: "backups.write",
  method: "POST",
  path: "/backups",
  command: { words: "backups create", example: "--name before-the-update.db" },
  input: Type.Object({
    name: Type.Optional({
      ...backupName,
      description: `${backupName.description} It is made from the time by default.`,
    }),
  }),
  output: verifiedSchema,
  status: 201,
  isLong: true,
  example: {},
  async prepare({ name: given }, { backups, clock, auditRandom }) {
    const name = given ?? newName(clock, auditRandom)
    await backups.requireRoom(name)
    return {
      mutations: [],
      isOutside: true,
      target: { kind: "backup", id: name, accountId: null },
      before: null,
      after: { name },
      // The audit record comes first: a copy of all accounts is recorded even if the process ends meanwhile.
      answer: async () => showVerified(await backups.create(name)),
    }
  },
  recall: async (name, { backups }) => showVerified(await backups.verify(name)),
})

/** Such as `penknife-20270131T120000Z-1f2e3d4c.db`: names sort by time, and nobody can guess them. */
function newName(clock: Clock, random: Random): string {
  const time = new Date(clock.now()).toISOString().replace(/\.\d+Z$/, "Z")
  return `penknife-${time.replaceAll(/[-:]/g, "")}-${Buffer.from(random.bytes(4)).toString("hex")}.db`
}
