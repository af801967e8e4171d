/** The helpers of the executable's tests. */
import { expect, test } from "bun:test"
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { tempDir } from "../support/temp.ts"
import { isAlive } from "./support.ts"

const dir = tempDir()

test.if(process.platform === "linux")(
  "a test that fails or takes too long leaves no process behind",
  async () => {
    const file = join(dir, "failing.test.ts")
    const pids = join(dir, "pids.txt")
    writeFileSync(
      file,
      `import { expect, test } from "bun:test"
       import { appendFileSync, readFileSync } from "node:fs"
       import { childrenOf, isAlive, start } from ${JSON.stringify(join(import.meta.dir, "support.ts"))}
       async function begin(name) {
         const db = ${JSON.stringify(dir)} + "/" + name
         const { child } = await start(["serve", "--port", "0", "--workers", "2", "--db", db])
         appendFileSync(${JSON.stringify(pids)}, [child.pid, ...childrenOf(child.pid)].join("\\n") + "\\n")
       }
       test("fails", async () => {
         await begin("a.db")
         expect("this").toBe("that")
       }, 30_000)
       test("hangs", async () => {
         await begin("b.db")
         await new Promise(() => {})
       }, 10_000)
       // The processes end with their test, not after the last one.
       test("sees none", () => {
         const left = readFileSync(${JSON.stringify(pids)}, "utf8").trim().split("\\n").filter((pid) => isAlive(Number(pid)))
         expect(left).toEqual([])
       })`,
    )
    const runner = Bun.spawn([process.execPath, "test", file], { stdout: "pipe", stderr: "pipe" })
    const [report] = await Promise.all([runner.stderr.text(), runner.exited])
    expect(report).toMatch(/\b1 pass$/m)
    expect(report).toMatch(/\b2 fail$/m)
    const started = readFileSync(pids, "utf8").trim().split("\n").map(Number)
    expect(started).toHaveLength(6)
    expect(started.filter(isAlive)).toEqual([])
  },
)
