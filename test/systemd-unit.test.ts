/** The systemd unit of docs/installing.md. */
import { expect, test } from "bun:test"
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { tempDir } from "./support/temp.ts"

const text = readFileSync(join(import.meta.dir, "../docs/installing.md"), "utf8")
const [, unit = ""] = /```ini\n(.*?)```/s.exec(text) ?? []
const analyze = Bun.which("systemd-analyze")
if (!analyze)
  console.error("!! LEFT OUT: the exposure of the systemd unit, since systemd-analyze is not installed")

test.skipIf(analyze === null)("is exposed by less than 3 of 10, as systemd rates it", async () => {
  const file = join(tempDir(), "penknife.service")
  writeFileSync(file, unit)
  // The threshold is in tenths.
  const command = [analyze ?? "", "security", "--offline=true", "--no-pager", "--threshold=29", file]
  const child = Bun.spawn(command, { stdout: "pipe", stderr: "pipe" })
  const [code, out, err] = await Promise.all([child.exited, child.stdout.text(), child.stderr.text()])
  expect({ code, result: out.trim().split("\n").at(-1), err }).toEqual({
    code: 0,
    result: expect.stringContaining("Overall exposure level"),
    err: "",
  })
})

test("lets Bun write machine code, and runs as a user that commands can run as", () => {
  // With MemoryDenyWriteExecute, Bun's compiler cannot map its memory.
  expect(unit).not.toContain("MemoryDenyWriteExecute")
  expect(unit).not.toContain("DynamicUser")
  const [, user = ""] = /^User=(.*)$/m.exec(unit) ?? []
  const [, db = ""] = /--db (\S+)/.exec(unit) ?? []
  expect(text).toContain(`useradd --system`)
  expect(text).toContain(`sudo -u ${user} penknife account list --db ${db}`)
})

test("tells the manager when the service is ready, and reloads by SIGHUP", () => {
  for (const line of ["Type=notify", "NotifyAccess=all", "ExecReload=/bin/kill -HUP $MAINPID"])
    expect(unit).toContain(`${line}\n`)
})
