import { existsSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { findBun } from "./bun.ts"

/**
 * How to run penknife: the executable that PENKNIFE_BIN names; else, in the package, the program that lies beside this module,
 * under Bun; else, in the repository, the executable built there, or its sources under Bun.
 * @throws Error saying what is missing
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

/** Without what a project keeps for Bun in the working directory: its preloads and its .env are not meant for penknife. */
function underBun(program: string, folder: string): readonly [string, ...string[]] {
  const bun = findBun(import.meta.url)
  if (bun === undefined) {
    throw new Error(
      "penknife runs under Bun, and there is none: install the package 'bun', put Bun on the PATH, or name an executable of penknife in PENKNIFE_BIN.",
    )
  }
  return [bun, "--no-env-file", `--config=${join(folder, "bunfig.toml")}`, program]
}
