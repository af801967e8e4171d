import { closeSync, fsyncSync, lstatSync, openSync, readlinkSync, realpathSync, statSync } from "node:fs"
import { basename, dirname, join, resolve } from "node:path"

/** The number that Linux follows (path_resolution(7)). */
const maxLinks = 40

/**
 * The path of a file after all symbolic links, where SQLite keeps the files that belong to it. The file need not exist; its
 * folder must. Throws what the file system throws. The runtime's own `realpath` of a file finds nothing in the moment in which
 * another process replaces it (Bun 1.4.5).
 */
export function realPathOf(file: string): string {
  const path = [...linkChain(file)].at(-1) ?? file
  return join(realpathSync(dirname(path)), basename(path))
}

/** The absolute path of a file; if that is a symbolic link, also what it names, and so on. */
export function* linkChain(file: string): Generator<string> {
  let path = resolve(file)
  for (let links = 0; links <= maxLinks; links++) {
    yield path
    if (!lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink()) return
    path = resolve(realpathSync(dirname(path)), readlinkSync(path))
  }
  throw new Error(`ELOOP: too many symbolic links, '${file}'`)
}

/** Tells files apart, whatever their names are; null if there is no file. Replacing a file changes it. */
export function identityOf(file: string): string | null {
  const found = statSync(file, { bigint: true, throwIfNoEntry: false })
  return found ? `${found.dev}:${found.ino}` : null
}

/** Makes a rename survive a power cut (fsync(2)). Windows cannot open folders. */
export function syncFolderOf(file: string): void {
  if (process.platform === "win32") return
  const folder = openSync(dirname(file), "r")
  fsyncSync(folder)
  closeSync(folder)
}
