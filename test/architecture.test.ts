/** Which folder of src/ may import which, and a few other rules, checked on the files' imports. */
import { expect, test } from "bun:test"
import { readFileSync } from "node:fs"
import { basename, dirname, join, relative } from "node:path"
import { Glob } from "bun"

const src = join(import.meta.dir, "../src")
const files = [...new Glob("**/*.{ts,tsx}").scanSync(src)].filter((file) => !file.endsWith(".test.ts")).sort()
const textOf = (file: string) => readFileSync(join(src, file), "utf8")

/** The imports of each folder besides itself; the entry of a file replaces its folder's. */
const arrows: Readonly<Record<string, string>> = {
  "main.ts": "app observe/siblings.ts ports surfaces",
  app: `accounts admin apis call config encode history mail mock observe outbox plugins ports retention
    store surfaces values webhooks`,
  values: "",
  config: "accounts call/requirement.ts ports values",
  "apis/contract.ts": `apis/dns-port.ts apis/machine-ports.ts apis/web-port.ts values/data-list.ts
    values/frozen.ts`,
  "apis/categories.ts": "",
  "apis/catalog.ts": "apis values",
  "apis/isolated-runs.ts": "apis",
  "apis/shared.ts": "apis/contract.ts",
  call: "accounts apis/contract.ts encode ports/log.ts ports/tracer.ts store/store.ts values",
  admin: `accounts apis/contract.ts call/input.ts store/adjustments.ts store/admin-reads.ts
    store/admin-store.ts store/people.ts store/usage-types.ts store/history.ts store/kept-requests.ts
    store/list-filters.ts store/outbox.ts store/store.ts values`,
  accounts: "apis/contract.ts store/outbox.ts store/store.ts values",
  // The loop that delivers rows of an outbox, whatever their way.
  outbox: "apis/contract.ts ports/log.ts",
  mail: "accounts/key.ts apis/contract.ts outbox ports store/mails.ts store/outbox.ts values",
  webhooks: "accounts apis/contract.ts outbox ports store/outbox.ts store/timed-events.ts values",
  observe: "apis/contract.ts call/caller.ts ports values",
  history: "apis/contract.ts observe ports/log.ts store/history.ts store/kept-requests.ts values",
  retention: "apis/contract.ts ports/log.ts store/history.ts store/kept-requests.ts store/retention.ts",
  mock: `accounts admin apis/contract.ts call observe ports store/admin-reads.ts store/admin-store.ts
    store/store.ts values`,
  "mock-client": "",
  // Runs an operator's own APIs.
  plugins: "apis/contract.ts apis/isolated-runs.ts call/input.ts ports values",
  // Code for browsers knows only the types of the server's answers.
  "web/client": "admin",
  "web/kit": "web/client",
  "web/shell": "web/client web/kit",
  "web/shared": "web/client web/kit",
  "web/console": "admin web/client web/kit web/shared web/shell",
  "web/portal": "admin web/client web/kit web/playground web/shared web/shell",
  // It takes types alone from the test double.
  "web/mock": "code-examples mock web/client web/kit web/shell",
  "web/playground": "admin code-examples values web/client web/kit",
  "web/site": "admin code-examples web/client web/kit web/playground",
  store: "apis/contract.ts values",
  ports: "apis/contract.ts values",
  // Two writers of YAML, here and in an API, share the rule for escapes.
  encode: "values/yaml-escapes.ts",
  "code-examples": "",
  surfaces: `accounts admin apis/categories.ts apis/contract.ts call code-examples config encode mock
    observe plugins/plugin-refused.ts ports/http-client.ts ports/standard-input.ts ports/timer.ts
    ports/tracer.ts store/outbox.ts store/store.ts values`,
}

test("every import follows an arrow", () => {
  const wrong: string[] = []
  for (const file of files) {
    for (const target of importsOf(file)) if (!mayImport(file, target)) wrong.push(`${file} → ${target}`)
  }
  expect(wrong).toEqual([])
  expect(files.length).toBeGreaterThan(40)
})

test("no two files import each other, directly or in a longer circle", () => expect(circles()).toEqual([]))

test("dynamic imports are seen", () =>
  expect(importsOf("surfaces/cli/documents.ts")).toContain("surfaces/graphql/schema.ts"))

test("the catalog loads no library before an API is called", () => {
  // TypeBox makes definitions; the service reads addresses with ipaddr.js in any case; suncalc is 10 kB. Others: `import()` in
  // the run.
  const atStart = ["@sinclair/typebox", "ipaddr.js", "suncalc"]
  const seen = new Set<string>()
  const packages = new Set<string>()
  function visit(file: string): void {
    if (seen.has(file)) return
    seen.add(file)
    for (const [, name = ""] of withoutComments(textOf(file)).matchAll(staticImports)) {
      if (!name.startsWith(".")) packages.add(name)
      else if (/\.tsx?$/.test(name)) visit(relative(src, join(src, dirname(file), name)))
    }
  }
  visit("apis/catalog.ts")
  expect(seen.size).toBeGreaterThan(20)
  expect([...packages].sort()).toEqual(atStart)
  // The code of isolated APIs is for threads alone.
  expect([...seen].filter((file) => /\/run\.ts$/.test(file))).toEqual([])
})

/** Imports of values that are followed when a file is loaded. */
const staticImports =
  /^(?:import\s+(?!type\b)(?:[\w*\s{},$]*?\bfrom\s+)?|export\s+(?:\*|\{[\w\s,]*\})\s+from\s+)["']([^"']+)["']/gm

test("Elysia is known in surfaces/http alone, SQLite in store/sqlite alone", () => {
  const users = (name: RegExp) => files.filter((file) => packagesOf(file).some((used) => name.test(used)))
  expect(users(/elysia/).filter((file) => !file.startsWith("surfaces/http/"))).toEqual([])
  expect(users(/^bun:sqlite$/).filter((file) => !file.startsWith("store/sqlite/"))).toEqual([])
  expect(users(/^commander$/).filter((file) => !file.startsWith("surfaces/cli/"))).toEqual([])
})

test("time, randomness and the network are reached through ports alone", () => {
  const reach =
    /\bDate\.now\(|\bnew Date\(\)|\bperformance\.now\(|\bMath\.random\(|\bgetRandomValues\(|(?<![#.\w])fetch\(|node:(dgram|net|dns|https?)\b/
  // Code examples are text: they call in programs of their own.
  const reaching = files.filter(
    (file) =>
      !/^(?:ports\/|mock-client\/|code-examples\/|web\/client\/browser\.ts$)/.test(file) &&
      reach.test(withoutComments(textOf(file))),
  )
  expect(reaching).toEqual([])
})

test("what runs in a browser imports types alone from the server, and no module of Bun or Node", () => {
  const imports = /^import (?!type )[^"']*["'](?:\.\.\/)+(?!web\/)(?:admin|apis|accounts|mock)\//m
  const web = files.filter((file) => file.startsWith("web/"))
  expect(web.length).toBeGreaterThan(20)
  expect(web.filter((file) => imports.test(textOf(file)))).toEqual([])
  expect(web.filter((file) => packagesOf(file).some((used) => /^(?:node|bun):|^bun$/.test(used)))).toEqual([])
  expect(web.filter((file) => /\b(?:Bun|process)\./.test(withoutComments(textOf(file))))).toEqual([])
})

test("nothing that runs in a browser makes HTML of a text", () => {
  const html =
    /innerHTML|outerHTML|insertAdjacentHTML|document\.write|dangerouslySetInnerHTML|createContextualFragment/
  expect(files.filter((file) => file.startsWith("web/") && html.test(textOf(file)))).toEqual([])
})

test("only main.ts reads argv and the environment, and ends the process", () => {
  const process = /\bprocess\.(argv|env|exit)\b|\bBun\.(argv|env)\b/
  // Code that runs in a user's tests is a program of its own.
  const program = files.filter((file) => !file.startsWith("mock-client/"))
  expect(program.filter((file) => process.test(withoutComments(textOf(file))))).toEqual(["main.ts"])
})

test("the starts of the administration's paths are written in one list alone", () => {
  const start = /["'`]\/(?:admin|console|portal)\b/
  const folder = files.filter((file) => file.startsWith("surfaces/http/admin/"))
  expect(folder.length).toBeGreaterThan(15)
  expect(folder.filter((file) => start.test(withoutComments(textOf(file))))).toEqual([
    "surfaces/http/admin/operation-routes.ts",
  ])
})

test("accounts, keys and webhooks change in operations alone, so that each change has its audit record", () => {
  const program = files.filter((file) => !file.startsWith("store/"))
  // The mock seeds an account and an admin key that no operation could make. Sessions, added passkeys, questions for a link,
  // links that end notices by mail and the command that deletes old audit records write their records themselves.
  const applying = program.filter((file) => /\badmin\.apply\(/.test(withoutComments(textOf(file))))
  expect(applying).toEqual([
    "admin/administration.ts",
    "admin/passkeys/ceremonies.ts",
    "admin/sessions/sessions.ts",
    "admin/sign-up/ask.ts",
    "admin/unsubscribe.ts",
    "app/safekeeping.ts",
    "mock/admin-key.ts",
    "mock/keys.ts",
  ])
})

test("a new account and a new key are each put together in one place", () => {
  const program = files.filter((file) => !file.startsWith("store/"))
  const making = (field: RegExp) => program.filter((file) => field.test(withoutComments(textOf(file))))
  expect(making(/\bperiodStartMs: nowMs\b/)).toEqual(["admin/accounts/new-account.ts"])
  expect(making(/\bblockApis: \[\]/)).toEqual(["admin/keys/key-details.ts"])
})

test("docs/architecture.md lists each folder of src and of src/surfaces, and no other", () => {
  const page = readFileSync(join(src, "../docs/architecture.md"), "utf8")
  const [, tree = ""] = /```\n(src\/\n.*?)```/s.exec(page) ?? []
  const listed = (indent: string) =>
    [...tree.matchAll(new RegExp(`^${indent}([\\w-]+)/ `, "gm"))].map(([, name = ""]) => name).sort()
  const foldersOf = (folder: string) =>
    [...new Set([...new Glob(`${folder}*/**/*.ts`).scanSync(src)].map((file) => file.slice(folder.length)))]
      .map((file) => file.slice(0, file.indexOf("/")))
      .filter((name, index, all) => all.indexOf(name) === index)
      .sort()
  expect(listed("  ")).toEqual(foldersOf(""))
  expect(listed("    ")).toEqual(foldersOf("surfaces/"))
})

test("docs/architecture.md names functions of a GET that are in the files beside them", () => {
  const page = readFileSync(join(src, "../docs/architecture.md"), "utf8")
  const rows = [...page.matchAll(/^\| .* \| `(\w+)` \| `([\w/.-]+)` \|$/gm)]
  expect(rows.length).toBeGreaterThan(10)
  const missing = rows.filter(([, name = "", file = ""]) => !RegExp(`\\b${name}\\b[(:<]`).test(textOf(file)))
  expect(missing.map(([row]) => row)).toEqual([])
})

test("no file is over 400 lines, half of them are near 100", () => {
  const lengths = files.map((file) => textOf(file).split("\n").length).sort((a, b) => a - b)
  expect(lengths.at(-1)).toBeLessThanOrEqual(400)
  expect(lengths[Math.floor(lengths.length / 2)]).toBeLessThanOrEqual(130)
})

test("an export has a reader in another file", () => {
  const root = join(import.meta.dir, "..")
  const texts = new Map<string, string>()
  const readers = new Map<string, string[]>()
  for (const file of new Glob("{src,test,scripts,bench,clients,examples}/**/*.{ts,tsx,mjs}").scanSync(root)) {
    if (file.includes("node_modules/")) continue
    const text = withoutComments(readFileSync(join(root, file), "utf8"))
    for (const name of new Set(text.match(/[\w.-]+(?=\.tsx?["'`])/g))) {
      readers.set(name, [...(readers.get(name) ?? []), text])
    }
    // Tests hold the texts of other files. The others are read by users of the packages.
    const isPublished = /\.test\.|\.d\.ts$|^(?:clients|examples|src\/mock-client)\/|^src\/apis\/\w+-port\.ts/
    if (!isPublished.test(file)) texts.set(file, text)
  }
  const unread: string[] = []
  for (const [file, text] of texts) {
    const near = readers.get(basename(file).replace(/\.\w+$/, "")) ?? []
    for (const [, name = ""] of text.matchAll(/^export (?:async )?\w+\*? (\w+)/gm)) {
      // Whoever loads all files of a folder asks for the same name in each.
      const isShared = /^(?:run|oracles?|suites|worst|inCheck)$/.test(name)
      if (!isShared && !near.some((other) => RegExp(`\\b${name}\\b`).test(other)))
        unread.push(`${file} ${name}`)
    }
  }
  expect(unread).toEqual([])
  expect(texts.size).toBeGreaterThan(1_000)
})

test("no line of a comment is over 130 characters", () => {
  const root = join(import.meta.dir, "..")
  const found: string[] = []
  let lines = 0
  for (const file of new Glob("{src,test,scripts,bench,examples}/**/*.{ts,tsx,mjs}").scanSync(root)) {
    if (file.includes("node_modules/")) continue
    for (const [index, line] of readFileSync(join(root, file), "utf8").split("\n").entries()) {
      if (!/^\s*(?:\/\/ |\/\*\*|\* )/.test(line)) continue
      lines++
      if (line.length > 130) found.push(`${file}:${index + 1}`)
    }
  }
  expect(found).toEqual([])
  expect(lines).toBeGreaterThan(5_000)
})

function mayImport(file: string, target: string): boolean {
  const room = /^(?:web\/)?[^/]+/.exec(file)?.[0] ?? ""
  const api = /^apis\/[a-z]+\//.exec(file)?.[0]
  // Parts that several APIs of mail and DNS share.
  const shared = ["apis/contract.ts", "apis/shared.ts", "apis/mail/", "values/"]
  if (api) return [api, ...shared].some((allowed) => target.startsWith(allowed))
  const allowed = (arrows[file] ?? arrows[room] ?? "").split(/\s+/)
  if (arrows[file] === undefined && target.startsWith(`${room}/`)) return true
  return allowed.some((arrow) => target === arrow || target.startsWith(`${arrow}/`))
}

/** Every circle of imports, as "a → b → a"; type imports and dynamic imports count. */
function circles(): string[] {
  const found: string[] = []
  const done = new Set<string>()
  function visit(file: string, path: readonly string[]): void {
    const start = path.indexOf(file)
    if (start !== -1) found.push([...path.slice(start), file].join(" → "))
    else if (!done.has(file)) {
      for (const target of importsOf(file)) visit(target, [...path, file])
      done.add(file)
    }
  }
  for (const file of files) visit(file, [])
  return found
}

function specifiersOf(file: string): string[] {
  const imports = /^(?:import|export)\b[^"'()]*?["']([^"']+)["']|\bimport\(\s*["']([^"']+)["']/gms
  return [...withoutComments(textOf(file)).matchAll(imports)].map((match) => match[1] ?? match[2] ?? "")
}

const importsOf = (file: string): string[] =>
  specifiersOf(file)
    .filter((specifier) => specifier.startsWith("."))
    .map((specifier) => relative(src, join(src, dirname(file), specifier)))
    .filter((target) => /\.tsx?$/.test(target))

const packagesOf = (file: string): string[] =>
  specifiersOf(file).filter((specifier) => !specifier.startsWith("."))

const withoutComments = (text: string): string =>
  text.replace(/\/\*[\s\S]*?\*\//g, "").replace(/(^|[^:])\/\/.*$/gm, "$1")
