import { Type } from "@sinclair/typebox"
import type { Clock, Random } from "../../apis/contract.ts"
import { idNumber, instant, listOf, pageParameters } from "../fields.ts"
import { defineChange, defineFile, defineRead } from "../operation.ts"
import { readPage } from "../pages.ts"
import { showBy } from "../show.ts"
import { backupNameForm } from "./backups.ts"

/** The name of a backup. */
const backupName = Type.String({
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

const backupSchema = Type.Object(fileFields)

const verifiedSchema = Type.Object({
  ...fileFields,
  store_version: idNumber({ description: "The version of its tables." }),
  accounts: Type.Integer({ description: "The number of accounts in it, closed ones included." }),
  keys: Type.Integer({ description: "The number of API keys in it, revoked ones included." }),
})

const showBackup = showBy(backupSchema)
const showVerified = showBy(verifiedSchema)

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
  read: async ({ name }, { backups }) => showVerified(await backups.verify(name)),
})

export const downloadBackup = defineFile({
  id: "backups.download",
  title: "Download a backup",
  description:
    "Sends the file of a backup. It holds all accounts, the hashes of keys and the secrets of webhooks, so each download is in the audit log.",
  permission: "backups.download",
  path: "/backups/{name}/file",
  command: { words: "backups download", args: ["name"], example: "penknife-20270131T120000Z-1f2e3d4c.db" },
  input: Type.Object({ name: backupName }),
  isLong: true,
  async open({ name }, { backups }) {
    const backup = await backups.open(name)
    return { ...backup, target: { kind: "backup", id: name, accountId: null } }
  },
})

export const listBackups = defineRead({
  id: "backups.list",
  title: "List backups",
  description: "Lists the finished backups in the directory that `--backup-dir` names, newest first.",
  permission: "backups.read",
  path: "/backups",
  command: { words: "backups list", example: "", empty: "No backups." },
  input: Type.Object(pageParameters),
  output: listOf(backupSchema),
  example: { limit: 10 },
  async read(input, { backups }) {
    const all = await backups.list()
    return readPage(
      "backups",
      input,
      async ({ limit, after }) => {
        const first = after === null ? 0 : all.findIndex((file) => isAfter(file, after))
        return first === -1 ? [] : all.slice(first, first + limit)
      },
      ({ madeMs, name }) => [madeMs, name],
      (file) => showBackup(file),
    )
  },
})

/** Whether a file comes after a cursor in the list. */
function isAfter(
  { madeMs, name }: { readonly madeMs: number; readonly name: string },
  [afterMs, afterName]: readonly (string | number)[],
): boolean {
  return madeMs < Number(afterMs) || (madeMs === Number(afterMs) && name < String(afterName))
}

export const createBackup = defineChange({
  id: "backups.create",
  title: "Make a backup",
  description:
    "Copies the data file into the directory that `--backup-dir` names, and checks the copy. Calls go on meanwhile.",
  permission: "backups.write",
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
  async prepare({ name: given }, { backups, clock, auditRandom }) {
    const name = given ?? newBackupName("penknife", clock, auditRandom)
    await backups.requireRoom(name)
    return {
      mutations: [],
      isOutside: true,
      target: { kind: "backup", id: name, accountId: null },
      after: { name },
      // The audit record comes first: a copy of all accounts is recorded even if the process ends meanwhile.
      answer: async () => showVerified(await backups.create(name)),
    }
  },
  recall: async (name, { backups }) => showVerified(await backups.verify(name)),
})

/** Such as `penknife-20270131T120000Z-1f2e3d4c.db`: names sort by time, and nobody can guess them. */
export function newBackupName(start: string, clock: Clock, random: Random): string {
  const time = new Date(clock.now()).toISOString().replace(/\.\d+Z$/, "Z")
  return `${start}-${time.replaceAll(/[-:]/g, "")}-${Buffer.from(random.bytes(4)).toString("hex")}.db`
}
