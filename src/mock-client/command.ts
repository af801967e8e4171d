import { existsSync, readFileSync, statSync } from "node:fs"
import { createRequire } from "node:module"
import { delimiter, dirname, join } from "node:path"
import { fileURLToPath } from "node:url"

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

const executable = process.platform === "win32" ? "bun.exe" : "bun"
/** Without install scripts, a short text file takes the place of the executable. */
const minBytes = 1_000_000

/** Finds Bun: in the package `bun` as seen from the module `from` (a URL), else this process's own, else on the PATH. */
function findBun(from: string): string | undefined {
  const installed = installedBuns(from).find((file) => existsSync(file) && statSync(file).size > minBytes)
  if (installed) return installed
  if (process.versions.bun) return process.execPath
  const folders = (process.env.PATH ?? "").split(delimiter)
  return folders.map((folder) => join(folder, executable)).find((file) => existsSync(file))
}

/** The install script of `bun` copies the executable into it from the package for this platform. */
function installedBuns(from: string): string[] {
  const bun = folderOf("bun", from)
  if (bun === undefined) return []
  const manifest = join(bun, "package.json")
  const { optionalDependencies = {} }: { optionalDependencies?: object } = JSON.parse(
    readFileSync(manifest, "utf8"),
  )
  const platforms = Object.keys(optionalDependencies).flatMap((name) => folderOf(name, manifest) ?? [])
  return [join(bun, "bin/bun.exe"), ...platforms.map((folder) => join(folder, "bin", executable))]
}

function folderOf(name: string, from: string): string | undefined {
  try {
    return dirname(createRequire(from).resolve(`${name}/package.json`))
  } catch {
    return undefined
  }
}
