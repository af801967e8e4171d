/** Imports of accounts from files, by the command line. */
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { keepAliveTimer } from "../../src/ports/timer.ts"
import { runLine, runLineJson } from "./admin-cli.ts"
import type { CliTestOptions } from "./cli.ts"
import { tempDir } from "./temp.ts"

/** Pauses are not waited for. */
export const timer = {
  ...keepAliveTimer,
  after: (_: number, then: () => void) => keepAliveTimer.after(0, then),
}

/** Folder and writer of the CSV files of a test file. */
export function useCsvFiles() {
  const dir = tempDir()
  let files = 0
  return {
    dir,
    write(content: string | Uint8Array): string {
      const file = join(dir, `accounts-${++files}.csv`)
      writeFileSync(file, content)
      return file
    },
  }
}

export const header = "name,plan,email,external_id"
/** A line for each number, as a shop would have them. */
export const linesOf = (count: number, from = 0) =>
  Array.from({ length: count }, (_, index) => {
    const number = from + index
    return `Customer ${number},${number % 4 === 0 ? "pro" : "free"},c${number}@example.com,crm-${number}`
  })
export const toCsv = (lines: readonly string[], end = "\n") =>
  [header, ...lines].map((line) => line + end).join("")

export interface Place {
  readonly to: string
  readonly options: CliTestOptions
}

/** A new store with an account, as `account create` makes it. */
export async function openPlace(create: () => Promise<string>): Promise<Place> {
  const db = await create()
  const place = { to: `--db ${db}`, options: { timer } }
  await runLineJson(`account create --name Zed --email zed@example.com --external-id crm-zed ${place.to}`)
  return place
}

export const importFile = (file: string, { to, options }: Place, more = "") =>
  runLine(`account import ${file} ${more} ${to}`, options)
export const namesIn = async ({ to, options }: Place) =>
  (await runLineJson(`account list --sort oldest ${to}`, options)).map(({ name }: { name: string }) => name)
