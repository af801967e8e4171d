import { lstatSync, mkdtempSync, readdirSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { hostName } from "../ports/machine.ts"

/** The copies of this process that exist. */
const ours = new Set<string>()

/**
 * Makes an empty folder for a copy. Its name says which process it belongs to. It is removed when this process ends, or by the
 * next process that makes one if this one is killed.
 */
export function makeCopyFolder(): { readonly folder: string; remove(): void } {
  // Processes of other machines and containers are not seen here, so their folders are not judged.
  const host = Bun.hash(hostName()).toString(16).padStart(16, "0")
  const prefix = `penknife-apis-${host}-`
  removeAbandoned(prefix)
  const folder = mkdtempSync(join(tmpdir(), `${prefix}${process.pid}-`))
  ours.add(folder)
  // Commands end without removing it, and so does a service whose calls still use a copy.
  process.on("exit", remove)
  function remove(): void {
    process.off("exit", remove)
    ours.delete(folder)
    rmSync(folder, { recursive: true, force: true })
  }
  return { folder, remove }
}

/** Removes the copies of processes that are gone: one that is killed leaves its copies behind. */
function removeAbandoned(prefix: string): void {
  for (const name of readdirSync(tmpdir())) {
    const pid = Number(name.startsWith(prefix) && /^(\d+)-/.exec(name.slice(prefix.length))?.[1])
    const folder = join(tmpdir(), name)
    if (pid > 0 && !ours.has(folder) && isGone(pid) && isOwn(folder))
      rmSync(folder, { recursive: true, force: true })
  }
}

/** A restarted container has the process ids of its first run. */
function isGone(pid: number): boolean {
  if (pid === process.pid) return true
  try {
    process.kill(pid, 0)
    return false
  } catch (thrown) {
    return thrown instanceof Error && "code" in thrown && thrown.code === "ESRCH"
  }
}

/** Folders of other users cannot be removed. */
function isOwn(folder: string): boolean {
  const stats = lstatSync(folder, { throwIfNoEntry: false })
  return stats?.isDirectory() === true && (process.getuid === undefined || stats.uid === process.getuid())
}
