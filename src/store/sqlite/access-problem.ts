import { accessSync, constants, existsSync, statSync } from "node:fs"
import { dirname, resolve } from "node:path"
import { linkChain } from "../../values/real-path.ts"

const { R_OK, W_OK, X_OK } = constants

/** SQLite and the lock keep files next to the data file. */
const ends = ["", "-wal", "-shm", "-lock"]

/**
 * Says which permission on a data file, on the files next to it or on their folders this process lacks, and who has it. Null when
 * the file cannot be used for another reason. SQLite reports no more than that it cannot open the file.
 */
export function accessProblem(file: string): string | null {
  let path = file
  // Each folder is checked before anything in it is looked at.
  for (path of linkChain(file)) {
    const closed = foldersOf(path).find((folder) => !may(folder, X_OK))
    if (closed !== undefined) return describe("look into the folder", closed)
  }
  const present = ends.map((end) => path + end).filter((each) => existsSync(each))
  const denied = present.find((each) => !may(each, R_OK | W_OK))
  if (denied !== undefined) return describe("read and write", denied)
  const folder = dirname(path)
  return may(folder, W_OK) ? null : describe("make files in the folder", folder)
}

/** All folders above a path, from the root on. */
function foldersOf(path: string): readonly string[] {
  const folder = dirname(resolve(path))
  return dirname(folder) === folder ? [folder] : [...foldersOf(folder), folder]
}

function may(path: string, mode: number): boolean {
  try {
    accessSync(path, mode)
    return true
  } catch (cause) {
    return !(cause instanceof Error && "code" in cause && cause.code === "EACCES")
  }
}

function describe(what: string, path: string): string {
  const { uid, mode } = statSync(path)
  const permissions = (mode & 0o777).toString(8).padStart(4, "0")
  const owner = `user ${uid}${uid === 0 ? " (root)" : ""}`
  const own = process.getuid?.() ?? ""
  return (
    `User ${own} may not ${what} ${path}, which belongs to ${owner} with mode ${permissions}. ` +
    `Run 'chown ${own} ${path}', or run penknife as its owner.`
  )
}
