/** Files of the project that pages and comments name. */
import { expect, test } from "bun:test"
import { join, posix } from "node:path"
import { Glob } from "bun"

const root = join(import.meta.dir, "..")
const folders = ["bench", "clients", "docs", "examples", "scripts", "src", "test"]
const files = ["*.{md,json}", ...folders.map((folder) => `${folder}/**/*`)]
  .flatMap((pattern) => [...new Glob(pattern).scanSync(root)])
  .filter((file) => !file.includes("node_modules/"))
const foldersOf = (file: string) => file.split("/").map((_, index, parts) => parts.slice(0, index).join("/"))
const paths = new Set([...files, ...files.flatMap(foldersOf)])

/** Names of files that are not the project's: a reader's own, those that a page teaches to make, and those of other projects. */
const others = new Set(
  [
    // Clients and examples of own APIs.
    "src/wordcount.ts src/test/java src/test/java/penknife claude_desktop_config.json example.mjs",
    // Made by the steps of docs/adding-an-api.md and docs/web.md.
    "src/apis/textlength/index.ts src/apis/leapyear/index.ts test/worst/myapi.ts",
    "src/web/console/names/names-screen.tsx src/web/console/names/edit-names.tsx edit-names.tsx",
    // Lists that `--data` replaces, and the sources of lists.
    "iban-registry.json mac-vendors.json time-zones.json index.json v1/company_ids.json",
    "latest.json data/packed/latest.json data.json test/spec.txt scripts/oracles/SCRIPT",
  ].flatMap((line) => line.split(" ")),
)

test("files that pages and comments name exist", async () => {
  const found: string[] = []
  for (const file of files) {
    const isPage = file.endsWith(".md")
    if (!isPage && !/\.(?:tsx?|mjs|sql|css)$/.test(file)) continue
    const text = await Bun.file(join(root, file)).text()
    const names = namesIn(isPage ? text : commentsIn(text))
    found.push(...names.filter((name) => !exists(name, file)).map((name) => `${file}: ${name}`))
  }
  expect(found).toEqual([])
})

test("each file of others is named somewhere, and is none of the project's", async () => {
  const texts = await Promise.all(
    files
      .filter((file) => /\.(?:md|ts)$/.test(file) && file !== "test/named-files.test.ts")
      .map((file) => Bun.file(join(root, file)).text()),
  )
  expect([...others].filter((name) => paths.has(name) || !texts.some((text) => text.includes(name)))).toEqual(
    [],
  )
})

test.each([
  ["`write.ts` waits for longer ones", ["write.ts"]],
  ["the steps of src/store/step.ts.", ["src/store/step.ts"]],
  ["`store/sqlite/schema.sql`, and test/support", ["store/sqlite/schema.sql", "test/support"]],
  ["`Bun.sql`, https://example.com/test/spec.json and `a.b`", []],
])("%j names %j", (text, names) => expect(namesIn(text)).toEqual(names))

/** Files in backticks, and paths from the root of the project. */
function namesIn(text: string): readonly string[] {
  const file = /(?<=`)[a-z][\w@.-]*(?:\/[\w@.-]+)*\.(?:tsx?|sql|json|css|mjs)(?=`)/
  const path = new RegExp(`(?<![\\w/.~-])(?:${folders.join("|")})/[\\w/.-]*\\w`)
  return text.match(new RegExp(`${file.source}|${path.source}`, "g")) ?? []
}

/** A name may begin at the root, at the folder of the file that names it, or at any folder. */
function exists(name: string, file: string): boolean {
  const isPart = [...paths].some((path) => path.endsWith(`/${name}`))
  return isPart || paths.has(name) || paths.has(posix.join(posix.dirname(file), name)) || others.has(name)
}

function commentsIn(code: string): string {
  return (code.match(/\/\*[\s\S]*?\*\/|(?:^|\s)(?:\/\/|--) .*/g) ?? []).join("\n")
}
