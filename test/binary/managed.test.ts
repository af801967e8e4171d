/** Requests of a service manager: whether the executable is ready, and to read its files again. */
import { describe, expect, test } from "bun:test"
import { chmodSync, existsSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { tempDir } from "../support/temp.ts"
import { until } from "../support/until.ts"
import { run, serve, start } from "./support.ts"

test("the commit it was built from is in --version and in /health, of a mock too", async () => {
  const { out } = await run(["--version"])
  const [, commit = null] = /^[\d.]+ \(([0-9a-f]{12})\)\n$/.exec(out) ?? []
  const servers = [await serve(join(tempDir(), "a.db")), await start(["mock", "--port", "0"])]
  for (const { url } of servers)
    expect(await (await fetch(`${url}/health`)).json()).toMatchObject({ data: { commit } })
  const head = Bun.spawnSync(["git", "rev-parse", "HEAD"]).stdout.toString()
  // An executable that was built some commits ago names its own.
  if (head !== "") expect(commit).toMatch(/^[0-9a-f]{12}$/)
})

describe.if(process.platform !== "win32")("a service manager", () => {
  test("hears once that the service is ready", async () => {
    const dir = tempDir()
    const told = join(dir, "told")
    // In the place of systemd's own command.
    writeFileSync(join(dir, "systemd-notify"), `#!/bin/sh\necho "$@" >> ${told}\n`)
    chmodSync(join(dir, "systemd-notify"), 0o755)
    const env = { NOTIFY_SOCKET: "/run/none", PATH: `${dir}:${process.env.PATH}` }
    await start(["serve", "--port", "0", "--workers", "2", "--db", join(dir, "a.db")], env)
    await until(() => existsSync(told) && readFileSync(told, "utf8") !== "")
    expect(readFileSync(told, "utf8")).toBe("--ready\n")
  })

  test("that sends SIGHUP where there is nothing to read gets a line, and the service goes on", async () => {
    const server = await serve(join(tempDir(), "a.db"))
    server.child.kill("SIGHUP")
    await until(async () => (await fetch(`${server.url}/health`)).ok)
    expect(await server.stop()).toBe(0)
    expect(await server.stderr).toContain(
      "SIGHUP: there is no configuration file and no certificate to read again",
    )
  })
})
