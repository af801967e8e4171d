/** The same sources make the same executable, so that anyone can compare a download with a build of their own. */
import { expect, test } from "bun:test"
import { createHash } from "node:crypto"
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { compile } from "../../scripts/executable.ts"
import { tempDir } from "../support/temp.ts"

const digestOf = (file: string) => createHash("sha256").update(readFileSync(file)).digest("hex")

test.if(process.platform === "linux" && process.arch === "x64")(
  "two builds in two folders, under the names of a build and of a download, have the same bytes",
  () => {
    const [own, download] = [join(tempDir(), "penknife"), join(tempDir(), "penknife-linux-x64")]
    expect(compile(own)).toBe(true)
    expect(compile(download, "linux-x64")).toBe(true)
    expect(digestOf(download)).toBe(digestOf(own))
    // Nothing but the executable stays beside it.
    expect(readdirSync(join(own, "..", "own"))).toEqual([])
    expect(Bun.spawnSync([download, "--version"]).exitCode).toBe(0)
  },
  120_000,
)
