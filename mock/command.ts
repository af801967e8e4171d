import { existsSync } from "node:fs"
import { delimiter, join } from "node:path"
import { fileURLToPath } from "node:url"

const windows = process.platform === "win32"

/**
 * How to run penknife: the executable that PENKNIFE_BIN names, or the one built in this package, or the sources of this
 * package under Bun.
 * @throws Error saying where it was looked for
 */
export function findCommand(): readonly [string, ...string[]] {
  const named = process.env.PENKNIFE_BIN
  if (named) return [named]
  // This module lies in mock/ as source and in dist/ as built.
  const root = fileURLToPath(new URL("..", import.meta.url))
  const built = join(root, "dist", windows ? "penknife.exe" : "penknife")
  if (existsSync(built)) return [built]
  const sources = join(root, "src/main.ts")
  const bun = process.versions.bun ? process.execPath : findBun(root)
  if (bun && existsSync(sources)) return [bun, sources]
  throw new Error(
    `penknife is not found: there is no ${built}, and no Bun to run its sources. Build it, put Bun on the PATH, or name an executable in PENKNIFE_BIN.`,
  )
}

function findBun(root: string): string | undefined {
  const name = windows ? "bun.exe" : "bun"
  const folders = [join(root, "node_modules/.bin"), ...(process.env.PATH ?? "").split(delimiter)]
  return folders.map((folder) => join(folder, name)).find((file) => existsSync(file))
}
