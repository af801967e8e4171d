/** The types for authors of own APIs, which are made from the contract. `test/readme.test.ts` tests that they are up to date. */
import { expect, test } from "bun:test"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import * as pluginModule from "./plugin-module.ts"

const types = readFileSync(join(import.meta.dir, "../../docs/penknife-plugin.d.ts"), "utf8")

test("each export of the module has a type, and no other value has one", () => {
  const values = [...types.matchAll(/^ {2}export (?:function|const) (\w+)/gm)].map(([, name]) => name)
  expect(values.sort()).toEqual(Object.keys(pluginModule).sort())
})

test("what only built-in APIs may use is left out, and nothing else is needed", () => {
  for (const name of "giveWay isolated takesFile inputCheck requirePresent account AbortSignal".split(" "))
    expect(types).not.toContain(`${name}:`)
  expect(types).not.toMatch(/@internal|Asker|^\s*import /m)
  for (const line of [
    "readonly asksDns?: boolean",
    "readonly premium: boolean",
    "resolve<T extends DnsType>(name: string, type: T):",
  ])
    expect(types).toContain(line)
})
