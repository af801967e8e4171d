import { Type } from "@sinclair/typebox"
import { instant } from "../fields.ts"
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
  return { name, bytes, made: new Date(madeMs).toISOString() }
}

export function showVerified({ storeVersion, accounts, keys, ...file }: VerifiedBackup) {
  return { ...showBackup(file), store_version: storeVersion, accounts, keys }
}
