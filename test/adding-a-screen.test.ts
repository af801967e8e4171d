/**
 * The page about the front end: its screen is made to the letter in a copy of the project, where the tests of pages pass, and the
 * names of its kit exist.
 */
import { expect, test } from "bun:test"
import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { basename, dirname, join } from "node:path"
import { Glob } from "bun"
import { copyProject, root, runIn, testsThat } from "./support/project-copy.ts"
import { hasTurn } from "./support/turns.ts"

const page = readFileSync(join(root, "docs/web.md"), "utf8")
const sources = ["src/web", "test/binary/web"].flatMap((folder) => [
  ...new Glob(`${folder}/**/*.{ts,tsx}`).scanSync(root),
])
const codeOf = (file: string) => readFileSync(join(root, file), "utf8")

// One commit of three follows it, as the page about adding an API.
test.if(hasTurn(1, 3))(
  "a screen with a form has the right types and is bundled as soon as the steps of the page are done",
  async () => {
    const copy = copyProject()
    const files = [...page.matchAll(/`(src\/web\/[\w/-]+\.tsx)`:\n\n *```tsx\n(.*?) *```/gs)]
    expect(files.map(([, file = ""]) => basename(file))).toEqual(["names-screen.tsx", "edit-names.tsx"])
    for (const [, file = "", code = ""] of files) {
      mkdirSync(dirname(join(copy, file)), { recursive: true })
      writeFileSync(join(copy, file), code.replace(new RegExp(`^${/^ */.exec(code)}`, "gm"), ""))
    }
    const [icon = "", screen = "", imported = ""] = [...page.matchAll(/ {3}```ts\n {3}(.*)\n {3}```/g)].map(
      ([, line]) => line,
    )
    const file = join(copy, "src/web/console/console.tsx")
    let code = readFileSync(file, "utf8")
    for (const [before, line] of [
      [/^import \{ AccountScreen/m, imported],
      [/(?<=^const icons = \{\n)/m, icon],
      [/(?<=^const screens.* = \[\n)/m, screen],
    ] as const) {
      expect(code).toMatch(before)
      code = code.replace(before, (found) => `${line}\n${found}`)
    }
    writeFileSync(file, code)
    const bun = process.execPath
    await runIn(copy, [bun, "node_modules/typescript/bin/tsc", "--checkers", "1", "-p", "src/web"])
    const program = `
      import { bundleWeb } from "./src/surfaces/http/web/source-files.ts"
      const { inputs } = await bundleWeb()
      console.log(inputs.filter((path) => path.includes("console/names/")).sort().join(" "))`
    expect(await runIn(copy, [bun, "-e", program])).toBe(
      "src/web/console/names/edit-names.tsx src/web/console/names/names-screen.tsx\n",
    )
    const tests = testsThat(/"console"|\/console\b/).filter((path) => path.startsWith("./test/web-"))
    expect(tests).toContain("./test/web-pages.test.ts")
    await runIn(copy, [bun, "test", "--timeout=300000", ...tests])
  },
  300_000,
)

test("components and functions that the page names are exported", () => {
  const exported = new Set(sources.flatMap((file) => exportsOf(codeOf(file))))
  const named = namesIn(page.replace(/^ *```.*?^ *```$/gms, ""))
  expect(named).toContain("ListPage")
  expect(named).toContain("useRead")
  expect(named.filter((name) => !exported.has(name))).toEqual([])
})

test("a component in an example of a comment can be imported from the file that shows it", () => {
  const found: string[] = []
  let examples = 0
  for (const file of sources) {
    const code = codeOf(file)
    for (const [example] of code.matchAll(/^ *\* @example(?:(?!\*\/).)*/gms)) {
      examples++
      const missing = namesIn(`\`${example}\``).filter((name) => !exportsOf(code).includes(name))
      found.push(...missing.map((name) => `${file}: ${name}`))
    }
  }
  expect(examples).toBeGreaterThan(0)
  expect(found).toEqual([])
})

function exportsOf(code: string): readonly string[] {
  const declared = code.matchAll(/^export (?:async )?(?:function|const|type|interface) (\w+)/gm)
  const listed = [...code.matchAll(/^export (?:type )?\{([^}]*)\}/gm)].flatMap(([, names = ""]) =>
    names.match(/\w+/g),
  )
  return [...[...declared].map(([, name = ""]) => name), ...listed.filter((name) => name !== null)]
}

/** Components, and functions that are called, in the code of a text. */
function namesIn(text: string): readonly string[] {
  const codes = [...text.matchAll(/`([^`]+)`/g)].map(([, code = ""]) => code)
  return codes.flatMap((code) =>
    [...code.matchAll(/<([A-Z]\w*)|(?<![.:\w])([a-z]\w*)\(/g)].map(
      ([, component, called]) => component ?? called ?? "",
    ),
  )
}
