import { Type } from "@sinclair/typebox"
import { listOf, pageParameters } from "../fields.ts"
import { defineRead } from "../operation.ts"
import { readPage } from "../pages.ts"
import { backupSchema, showBackup } from "./backup.ts"

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
      showBackup,
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
