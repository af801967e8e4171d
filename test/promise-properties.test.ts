/** Reading a property of `Promise` for the first time must not happen while calls are served: it discards compiled code. */
import { expect, test } from "bun:test"
import { join } from "node:path"

const module = JSON.stringify(join(import.meta.dir, "../src/app/service.ts"))

/** Whether JavaScriptCore changes `Promise` when a new process reads its properties, after `before` has run. */
async function isChangedAfter(before: string): Promise<boolean> {
  const script = `
    import { jscDescribe } from "bun:jsc"
    import { readPromiseProperties } from ${module}
    ${before}
    const structures = () => [Promise, Promise.prototype].map((object) => /StructureID: \\d+/.exec(jscDescribe(object))?.[0])
    const first = structures()
    for (const name of ["all", "allSettled", "any", "race", "withResolvers", "try", "length", "name"]) void Promise[name]
    for (const name of ["then", "catch", "finally"]) void Promise.prototype[name]
    process.stdout.write(String(String(first) !== String(structures())) + first.includes(undefined))`
  const child = Bun.spawn([process.execPath, "-e", script], { stdout: "pipe" })
  const text = await child.stdout.text()
  expect(text).toMatch(/^(true|false)false$/)
  return text.startsWith("true")
}

test("all properties of Promise are read at the start", async () => {
  expect(await isChangedAfter("")).toBe(true)
  expect(await isChangedAfter("readPromiseProperties()")).toBe(false)
})
