import { afterAll } from "bun:test"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

/** A new folder for the test file, removed after its tests. It may be in memory, unless it is in a folder that is named. */
export function tempDir(parent = tmpdir()): string {
  const dir = mkdtempSync(join(parent, "penknife-test-"))
  afterAll(() => rmSync(dir, { recursive: true, force: true }))
  return dir
}

/** Makes a named pipe and returns its path. */
export function makePipe(path: string): string {
  // Nothing of it is read: Bun 1.4.5 now and then fails to (ECONNRESET).
  Bun.spawnSync(["mkfifo", path], { stdio: ["ignore", "ignore", "ignore"] })
  return path
}
