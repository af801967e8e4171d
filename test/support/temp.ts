import { afterAll } from "bun:test"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

/** A folder of the test file's own, removed when its tests are done. */
export function tempDir(): string {
  const dir = mkdtempSync(join(tmpdir(), "penknife-test-"))
  afterAll(() => rmSync(dir, { recursive: true, force: true }))
  return dir
}
