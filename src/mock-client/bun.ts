import { existsSync, readFileSync, statSync } from "node:fs"
import { createRequire } from "node:module"
import { delimiter, dirname, join } from "node:path"

const executable = process.platform === "win32" ? "bun.exe" : "bun"
/** Without install scripts, a short text file takes the place of the executable. */
const minBytes = 1_000_000

/** Finds Bun: in the package `bun` as seen from the module `from` (a URL), else this process's own, else on the PATH. */
export function findBun(from: string): string | undefined {
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
