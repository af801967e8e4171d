/** The OpenAPI document and its page, out of the executable. */
import { expect, test } from "bun:test"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { tempDir } from "../support/temp.ts"
import { run, start } from "./support.ts"

test("openapi prints all of what the server answers with, though it is more than a pipe holds", async () => {
  const server = await start(["serve", "--port", "0", "--db", join(tempDir(), "a.db")])
  const served = await (await fetch(`${server.url}/openapi.json`)).text()
  expect(served.length).toBeGreaterThan(100_000)
  expect(await run(["openapi"])).toEqual({ code: 0, out: served, err: "" })
  await server.stop()
})

test("the viewer is in the executable, as it was published", async () => {
  const server = await start(["mock", "--port", "0"])
  for (const [path, file] of [
    ["/docs/viewer.js", "swagger-ui-bundle.js"],
    ["/docs/viewer.css", "swagger-ui.css"],
  ] as const) {
    const published = readFileSync(join(import.meta.dir, "../../node_modules/swagger-ui-dist", file), "utf8")
    expect((await (await fetch(server.url + path)).text()) === published).toBe(true)
  }
  await server.stop()
})
