import { Type } from "@sinclair/typebox"
import { defineOperation } from "../operation.ts"
import { backupName, showVerified, verifiedSchema } from "./backup.ts"

export const verifyBackup = defineOperation({
  id: "backups.verify",
  title: "Verify a backup",
  description:
    "Reads a backup to its end: whether it is whole, the version of its tables, and what is in it. Changes nothing.",
  permission: "backups.read",
  method: "GET",
  path: "/backups/{name}/verify",
  command: { words: "backups verify", args: ["name"], example: "penknife-20270131T120000Z-1f2e3d4c.db" },
  input: Type.Object({ name: backupName }),
  output: verifiedSchema,
  isLong: true,
  example: { name: "penknife-20270131T120000Z-1f2e3d4c.db" },
  run: {
    kind: "read",
    read: async ({ name }, { backups }) => showVerified(await backups.verify(name)),
  },
})
