import { expect, test } from "bun:test"
import { chmodSync, existsSync, mkdirSync, readdirSync, symlinkSync } from "node:fs"
import { join } from "node:path"
import { tempDir } from "../../../test/support/temp.ts"
import { accessProblem, openDatabase } from "./open.ts"

const other = 65_534
const asOther = ["setpriv", `--reuid=${other}`, `--regid=${other}`, "--clear-groups"]
const dir = tempDir()
let folders = 0

/** A data file that root has made, in a folder that the other user may list. */
function makeAsRoot() {
  chmodSync(dir, 0o755)
  const folder = join(dir, String(folders++))
  mkdirSync(folder)
  const file = join(folder, "store.db")
  openDatabase(file).close()
  return { folder, file }
}

/** The message for another user who opens a data file. */
function openAsOther(file: string, mustExist: boolean): string {
  return runAsOther("open.ts", `openDatabase(${JSON.stringify(file)}, { mustExist: ${mustExist} }).close()`)
}

/** The message for another user from a call of a file's export; "done" if it throws nothing. */
function runAsOther(file: string, call: string): string {
  const script = `
    const exported = await import(${JSON.stringify(join(import.meta.dir, file))})
    try {
      exported.${call}
      console.log("done")
    } catch (cause) {
      console.log(cause.name + ": " + cause.message)
    }`
  const { stdout, stderr } = Bun.spawnSync([...asOther, process.execPath, "-e", script])
  expect(stderr.toString()).toBe("")
  return stdout.toString().trim()
}

test.if(canRunAsOther()).each([true, false])(
  "what root made is named to another user (must exist: %p)",
  (mustExist) => {
    const { folder, file } = makeAsRoot()
    const owner = "which belongs to user 0 (root) with mode"
    const start = `StoreUnusable: The data file ${file} cannot be opened. User ${other} may not`
    expect(openAsOther(file, mustExist)).toBe(
      `${start} read and write ${file}, ${owner} 0600. Run 'chown ${other} ${file}', or run penknife as its owner.`,
    )
    chmodSync(file, 0o644)
    expect(openAsOther(file, mustExist)).toContain(`read and write ${file}, ${owner} 0644`)
    chmodSync(file, 0o666)
    expect(openAsOther(file, mustExist)).toContain(`make files in the folder ${folder}, ${owner} 0755`)
    chmodSync(folder, 0o700)
    expect(openAsOther(file, mustExist)).toContain(`look into the folder ${folder}, ${owner} 0700`)
    chmodSync(folder, 0o777)
    expect(openAsOther(file, mustExist)).toBe("done")
  },
)

test.if(canRunAsOther())(
  "a folder in which the other user may make no file, and a link into a closed one",
  () => {
    const { folder, file } = makeAsRoot()
    const fresh = join(folder, "new.db")
    expect(openAsOther(fresh, false)).toContain(`make files in the folder ${folder}`)
    expect(existsSync(fresh)).toBe(false)
    const open = makeAsRoot().folder
    symlinkSync(file, join(open, "link.db"))
    chmodSync(folder, 0o700)
    expect(openAsOther(join(open, "link.db"), true)).toContain(`look into the folder ${folder}`)
  },
)

test.if(canRunAsOther())("a backup, and a restore from a backup, name what is missing", () => {
  const { folder, file } = makeAsRoot()
  chmodSync(folder, 0o777)
  const [source, copy] = [JSON.stringify(file), JSON.stringify(join(folder, "copy.db"))]
  const calls = [
    ["backup.ts", `backUp(${source}, ${copy})`],
    ["restore.ts", `restore(${source}, ${copy}, 0)`],
  ] as const
  for (const [module, call] of calls)
    expect(runAsOther(module, call)).toContain(`read and write ${file}, which belongs to user 0 (root)`)
  chmodSync(folder, 0o700)
  for (const [module, call] of calls)
    expect(runAsOther(module, call)).toContain(`look into the folder ${folder}, which belongs to user 0`)
  expect(readdirSync(folder).filter((name) => name.includes("copy"))).toEqual([])
})

test("nothing is said where the rights suffice, or where there is no folder", () => {
  const { file } = makeAsRoot()
  expect(accessProblem(file)).toBeNull()
  expect(accessProblem(join(dir, "missing", "store.db"))).toBeNull()
})

/** Whether this process is root, and another user may run the runtime and read the source. */
function canRunAsOther(): boolean {
  if (process.getuid?.() !== 0 || Bun.which("setpriv") === null) return false
  const tests = `test -x ${process.execPath} && test -r ${import.meta.path}`
  return Bun.spawnSync([...asOther, "sh", "-c", tests]).success
}
