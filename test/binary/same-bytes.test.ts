/** The same sources make the same executable, so that anyone can compare a download with a build of their own. */
import { expect, test } from "bun:test"
import { createHash } from "node:crypto"
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { compile } from "../../scripts/executable.ts"
import { tempDir } from "../support/temp.ts"
import { hasTurn } from "../support/turns.ts"
import { binary } from "./support.ts"

const digestOf = (file: string) => createHash("sha256").update(readFileSync(file)).digest("hex")

// A second build takes long.
test.if(hasTurn(0, 7) && process.platform === "linux" && process.arch === "x64")(
  "a download that is built in another folder has the bytes of `bun run build`",
  async () => {
    const download = join(tempDir(), "penknife-linux-x64")
    expect(await compile(download, "linux-x64")).toBe(true)
    // If they differ: has a source changed since `bun run build`?
    expect(digestOf(download)).toBe(digestOf(binary))
    // Nothing but the executable stays beside it.
    for (const folder of [join(download, "..", "linux-x64"), join(binary, "..", "own")])
      expect(readdirSync(folder)).toEqual([])
    expect(Bun.spawnSync([download, "--version"]).exitCode).toBe(0)
  },
  120_000,
)
