import { afterAll } from "bun:test"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

/** A new folder for the test file, removed after its tests. */
export function tempDir(): string {
  const dir = mkdtempSync(join(tmpdir(), "penknife-test-"))
  afterAll(() => rmSync(dir, { recursive: true, force: true }))
  return dir
}
