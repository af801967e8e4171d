import { Type } from "@sinclair/typebox"
import { toIso } from "../../values/time-text.ts"
import { instant } from "../fields.ts"
import { defineRead } from "../operation.ts"
import { type BackupFile, backupNameForm, type VerifiedBackup } from "./backups.ts"

/** The name of a backup. */
export const backupName = Type.String({
  pattern: backupNameForm.source,
  description: "The file's name: letters, digits, `-`, `_` and `.`, with `.db` at its end.",
  "x-requirement":
    "must be a file name without a path: at most 99 letters, digits, '-', '_' and '.', with '.db' at its end",
})

const fileFields = {
  name: Type.String({ description: "The name of the file in the directory for backups." }),
  bytes: Type.Integer({ description: "Its size." }),
  made: instant("When it was finished."),
}

export const backupSchema = Type.Object(fileFields)

export const verifiedSchema = Type.Object({
  ...fileFields,
  store_version: Type.Integer({ description: "The version of its tables." }),
  accounts: Type.Integer({ description: "The number of accounts in it, closed ones included." }),
  keys: Type.Integer({ description: "The number of API keys in it, revoked ones included." }),
})

export function showBackup({ name, bytes, madeMs }: BackupFile) {
  return { name, bytes, made: toIso(madeMs) }
}

export function showVerified({ storeVersion, accounts, keys, ...file }: VerifiedBackup) {
  return { ...showBackup(file), store_version: storeVersion, accounts, keys }
}

export const verifyBackup = defineRead({
  id: "backups.verify",
  title: "Verify a backup",
  description:
    "Reads a backup to its end: whether it is whole, the version of its tables, and what is in it. Changes nothing.",
  permission: "backups.read",
  path: "/backups/{name}/verify",
  command: { words: "backups verify", args: ["name"], example: "penknife-20270131T120000Z-1f2e3d4c.db" },
  input: Type.Object({ name: backupName }),
  output: verifiedSchema,
  isLong: true,
  example: { name: "penknife-20270131T120000Z-1f2e3d4c.db" },
  read: async ({ name }, { backups }) => showVerified(await backups.verify(name)),
})
