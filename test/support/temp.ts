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
