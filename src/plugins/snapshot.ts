import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { messageOf } from "../values/message-of.ts"
import { PluginRefused } from "./errors.ts"

/** A copy of a folder of APIs. Workers load it, so that one that starts later runs the same code as the first. */
export interface Snapshot {
  /** The copy. */
  readonly folder: string
  /** The folders in it that may hold an API. */
  readonly names: readonly string[]
  /** A hash of all its files. */
  readonly fingerprint: string
  remove(): void
}

const maxBytes = 50_000_000
/** Bare imports find nothing in a compiled program, so what would be found is not copied. */
const leftOut = /^(?:node_modules|\..*)$/

/**
 * Copies a folder of APIs.
 * @throws PluginRefused
 */
export function takeSnapshot(directory: string): Snapshot {
  const files = readNames(directory)
  const bytes = files.reduce((sum, file) => sum + statSync(join(directory, file)).size, 0)
  if (bytes > maxBytes) {
    throw new PluginRefused(
      `The folder ${directory} holds ${Math.ceil(bytes / 1e6)} MB; ${maxBytes / 1e6} MB are allowed.`,
    )
  }
  const folder = mkdtempSync(join(tmpdir(), "penknife-apis-"))
  // A command ends without more ado, and so does a service while calls may still know a copy.
  process.on("exit", remove)
  function remove(): void {
    process.off("exit", remove)
    rmSync(folder, { recursive: true, force: true })
  }
  const hasher = new Bun.CryptoHasher("sha256")
  for (const file of files) {
    cpSync(join(directory, file), join(folder, file))
    // Of the copy: the original may have been changed meanwhile.
    hasher.update(`${file.length} ${file}`).update(readFileSync(join(folder, file)))
  }
  return {
    folder,
    names: [...new Set(files.flatMap((file) => /^([^/\\]+)[/\\]/.exec(file)?.[1] ?? []))].sort(),
    fingerprint: hasher.digest("hex"),
    remove,
  }
}

function readNames(directory: string): string[] {
  try {
    return filesOf(directory, "")
  } catch (cause) {
    throw new PluginRefused(`The folder ${directory} cannot be read: ${messageOf(cause)}.`)
  }
}

/** The files of a folder and the folders in it, sorted, below `base`. */
function filesOf(base: string, folder: string): string[] {
  return readdirSync(join(base, folder), { withFileTypes: true })
    .filter(({ name }) => !leftOut.test(name))
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) => {
      const path = join(folder, entry.name)
      return statSync(join(base, path)).isDirectory() ? filesOf(base, path) : [path]
    })
}
