import { expect, test } from "bun:test"
import { chmodSync, chownSync, existsSync, mkdirSync, readdirSync, symlinkSync } from "node:fs"
import { join } from "node:path"
import { tempDir } from "../../../test/support/temp.ts"
import { accessProblem, openDatabase, requireAccess } from "./database-file.ts"

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
const openAsOther = (file: string, mustExist: boolean): string =>
  runAsOther("database-file.ts", `openDatabase(${JSON.stringify(file)}, { mustExist: ${mustExist} }).close()`)

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

test.if(canRunAsOther())(
  "a folder for backups in which another user may make no file is named as such",
  () => {
    const { folder } = makeAsRoot()
    expect(runAsOther("database-file.ts", `lockForBackups(${JSON.stringify(folder)})`)).toStartWith(
      `StoreUnusable: No backup can be written to ${folder}. User ${other} may not make files in the folder ${folder}, `,
    )
  },
)

test.if(canRunAsOther())("a backup, and a restore from a backup, name what is missing", () => {
  const { folder, file } = makeAsRoot()
  chmodSync(folder, 0o777)
  const [source, copy] = [JSON.stringify(file), JSON.stringify(join(folder, "copy.db"))]
  const calls = [
    ["backup.ts", `backUp(${source}, ${copy})`],
    ["backup.ts", `restore(${source}, ${copy}, 0)`],
  ] as const
  for (const [module, call] of calls)
    expect(runAsOther(module, call)).toContain(`read and write ${file}, which belongs to user 0 (root)`)
  chmodSync(folder, 0o700)
  for (const [module, call] of calls)
    expect(runAsOther(module, call)).toContain(`look into the folder ${folder}, which belongs to user 0`)
  expect(readdirSync(folder).filter((name) => name.includes("copy"))).toEqual([])
})

test("nothing is said where the rights suffice; a missing folder, a file for one and a folder for a file are named", () => {
  const { file, folder } = makeAsRoot()
  expect([accessProblem(file), accessProblem(join(folder, "new.db"))]).toEqual([null, null])
  const missing = join(dir, "missing", "deep")
  expect(accessProblem(join(missing, "store.db"))).toStartWith(
    `There is no folder ${join(dir, "missing")}. Make it`,
  )
  expect(accessProblem(join(file, "store.db"))).toStartWith(`${file} is no folder. Name a file`)
  expect(accessProblem(folder)).toStartWith(`${folder} is a folder. Name a file in it`)
  // As each command and each start says it, and without a file that nobody asked for.
  for (const name of [join(missing, "store.db"), join(file, "store.db"), folder]) {
    const problem = accessProblem(name) ?? "none"
    expect(() => openDatabase(name)).toThrow(`The data file ${name} cannot be opened. ${problem}`)
  }
})

test("a full disk is named, which leaves no room for a new file", () => {
  const cause = Object.assign(new Error("no space left on device"), { code: "ENOSPC" })
  expect(() => requireAccess("/store.db", cause)).toThrow(
    "cannot be opened. Its disk is full. Free some space.",
  )
})

test.if(canRunAsOther())("who owns a file without permissions is told to change these, not its owner", () => {
  const { folder, file } = makeAsRoot()
  chownSync(file, other, other)
  chmodSync(file, 0o444)
  chmodSync(folder, 0o777)
  expect(runAsOther("database-file.ts", `requireAccess(${JSON.stringify(file)})`)).toEndWith(
    `mode 0444. Run 'chmod u+rwX ${file}'.`,
  )
})

test.if(canMount())("a read-only mount is named, of a folder and of a file alone", () => {
  const { folder, file } = makeAsRoot()
  for (const mounted of [folder, file]) {
    const script = `const { accessProblem } = await import(${JSON.stringify(join(import.meta.dir, "database-file.ts"))})
      console.log(accessProblem(${JSON.stringify(file)}))`
    const mount = 'mount --bind "$1" "$1" && mount -o remount,bind,ro "$1" && exec "$2" -e "$3"'
    const command = ["unshare", "-m", "sh", "-c", mount, "sh", mounted, process.execPath, script]
    const { stdout, stderr } = Bun.spawnSync(command)
    expect(stderr.toString()).toBe("")
    expect(stdout.toString()).toStartWith(`${file} is mounted read-only. Mount it for writing too`)
  }
})

/** Whether this process may mount something, seen by itself alone. */
function canMount(): boolean {
  if (Bun.which("unshare") === null) return false
  return Bun.spawnSync(["unshare", "-m", "mount", "--bind", "/tmp", "/tmp"]).success
}

/** Whether this process is root, and another user may run the runtime and read the source. */
function canRunAsOther(): boolean {
  if (process.getuid?.() !== 0 || Bun.which("setpriv") === null) return false
  const tests = `test -x ${process.execPath} && test -r ${import.meta.path}`
  return Bun.spawnSync([...asOther, "sh", "-c", tests]).success
}
