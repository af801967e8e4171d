/** The page about adding an operation shows one that exists. */
import { expect, test } from "bun:test"
import { join } from "node:path"

const root = join(import.meta.dir, "..")

test("the definition on the page is the one in the code", async () => {
  const page = await Bun.file(join(root, "docs/adding-an-operation.md")).text()
  const [, shown = ""] = /```ts\n(.*?) {3}```/s.exec(page) ?? []
  const code = await Bun.file(join(root, "src/admin/keys/disable.ts")).text()
  expect(shown.replace(/^ {3}/gm, "")).toBe(code)
})
