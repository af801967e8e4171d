import { existsSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { findBun } from "./bun.ts"

/**
 * Finds the command that runs penknife: the executable in PENKNIFE_BIN; in the npm package, the program next to this module,
 * under Bun; in the repository, the executable in dist or the sources under Bun.
 * @throws Error when Bun is missing; the message says what to install
 */
export function findCommand(): readonly [string, ...string[]] {
  const named = process.env.PENKNIFE_BIN
  if (named) return [named]
  const here = fileURLToPath(new URL(".", import.meta.url))
  const packed = join(here, "penknife.js")
  if (existsSync(packed)) return underBun(packed, here)
  const root = join(here, "../..")
  const built = join(root, "dist", process.platform === "win32" ? "penknife.exe" : "penknife")
  return existsSync(built) ? [built] : underBun(join(root, "src/main.ts"), root)
}

/** Bun's preloads and .env of the tested project are not meant for penknife, so they are turned off. */
function underBun(program: string, folder: string): readonly [string, ...string[]] {
  const bun = findBun(import.meta.url)
  if (bun === undefined)
    throw new Error(
      "penknife runs under Bun, which was not found: install the package 'bun', put Bun on the PATH, or set PENKNIFE_BIN to a penknife executable.",
    )
  return [bun, "--no-env-file", `--config=${join(folder, "bunfig.toml")}`, program]
}
