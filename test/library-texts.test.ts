/**
 * No answer contains a text of a library: such texts are written for the library's developers, and change with its version. The
 * texts are read from the sources of the packages that the APIs import, so that a new package or version is looked at too.
 */
import { expect, test } from "bun:test"
import { createPublicKey } from "node:crypto"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import fc from "fast-check"
import { decodeProtectedHeader } from "jose"
import { jsonpath } from "json-p3"
import { RE2JS } from "re2js"
import { SaxesParser } from "saxes"
import { parse as parseYaml } from "yaml"
import { catalog } from "../src/app/prepare.ts"
import { startExampleService } from "./support/example-service.ts"
import { inTurn } from "./support/turns.ts"

const root = join(import.meta.dir, "..")
/** Packages whose texts are the answer: schedules in words and names of groups of ISBN. */
const answering = ["cronstrue", "isbn3"]
const texts = libraryTexts()
/** Texts of the runtime and of its OpenSSL, and what JavaScript writes for an object or a place of its code. */
const runtimeText =
  /is not (?:a function|an object)|JSON Parse error|Invalid regular expression|error:[0-9A-F]{6,}|ERR_[A-Z]|BoringSSL|OPENSSL|(?:Type|Range|Syntax)Error|\[object |node_modules|:\d+:\d+\)/

const { service, prepareFor } = await startExampleService()

test.each([
  ["re2js", () => RE2JS.compile("[")],
  ["json-p3", () => jsonpath.compile("$[")],
  ["jose", () => decodeProtectedHeader({})],
  ["yaml", () => parseYaml("a: b: c")],
  ["saxes", () => new SaxesParser().write("<a></b>").close()],
  ["the runtime's parser of JSON", () => JSON.parse("{")],
  ["the runtime's OpenSSL", () => createPublicKey("no key")],
])("a message of %s would be found", (_name, fail) => {
  let message = ""
  try {
    fail()
  } catch (thrown) {
    message = String(thrown)
  }
  expect([message, foundIn(message).length]).not.toEqual([message, 0])
})

test.each(inTurn(catalog, 8).map((api) => [api.id, api] as const))("%s", async (_id, api) => {
  const { key } = await service.createKey("pro")
  const change = fc.tuple(fc.nat(), fc.nat(), fc.nat(), fc.constantFrom(...inserted))
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...api.examples), change, async ({ input, given }, [leaf, ...how]) => {
      const changed = changeOne({ input, ...(given && { given }) }, leaf, (text) => changeText(text, ...how))
      prepareFor(changed)
      const answer = await (await service.call(api, changed.input, { key })).text()
      expect([changed.input, foundIn(answer.replaceAll(/\\(["\\])/g, "$1"))]).toEqual([changed.input, []])
    }),
    { numRuns: Number(process.env.PENKNIFE_RUNS ?? 60) },
  )
})

function foundIn(answer: string): string[] {
  return [...texts.filter((text) => answer.includes(text)), ...(runtimeText.exec(answer) ?? [])]
}

const inserted = [
  ..."\u0000 é ' \" \\ < > & [ ] ( ) { } * ? $ . .. @ , ; : - + = 9 1e999 _ % / a.b null :: AAAA xn-- # !".split(
    " ",
  ),
  ...[" ", "\r\n"],
]

/** Puts a part into a text, in the place of other characters or between them, cuts the text, or repeats a piece of it. */
function changeText(text: string, place: number, kind: number, part: string): string {
  const at = place % (text.length + 1)
  const length = 1 + (kind % 5)
  const [before, after] = [text.slice(0, at), text.slice(at)]
  const [cut, kept] = [after.slice(0, length), after.slice(length)]
  const changed = [
    before + part + after,
    before + part + kept,
    before + kept,
    before + cut + after,
    before,
    part,
  ]
  return changed[kind % changed.length] ?? text
}

/** The places that may change: of the world around a call only the texts of records and of other hosts. */
const mayChange = /^\/input\/|\/(?:TXT|body)(?:\/|$)/

/** Changes the text at one of the places of a JSON value that may change. */
function changeOne<Value>(value: Value, place: number, change: (text: string) => string): Value {
  const paths: string[] = []
  visit(value, "", (text, path) => {
    if (mayChange.test(path)) paths.push(path)
    return text
  })
  const chosen = paths[place % paths.length]
  return visit(value, "", (text, path) => (path === chosen ? change(text) : text)) as Value
}

function visit(value: unknown, path: string, change: (text: string, path: string) => string): unknown {
  if (typeof value === "string") return change(value, path)
  if (Array.isArray(value)) return value.map((one, index) => visit(one, `${path}/${index}`, change))
  if (typeof value !== "object" || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, one]) => [name, visit(one, `${path}/${name}`, change)]),
  )
}

/** The parts without placeholders of all texts of two words or more in the packages that APIs import, markup excepted. */
function libraryTexts(): string[] {
  const found = new Set<string>()
  for (const name of importedPackages()) {
    const folder = join(root, "node_modules", name)
    for (const file of new Bun.Glob("**/*.{js,mjs,cjs}").scanSync(folder)) {
      if (/(?:^|\/)(?:node_modules|tests?|bin|examples?)\//.test(file)) continue
      const source = readFileSync(join(folder, file), "utf8")
      for (const [literal] of source.matchAll(/(["'])(?:(?!\1)[^\\\n]|\\.)*\1|`(?:[^`\\]|\\.)*`/g)) {
        for (const part of literal.slice(1, -1).split(/\$\{[^}]*\}|%[sdj]|\\n/)) {
          const text = part.replaceAll(/\\(.)/g, "$1").trim()
          if (text.length >= 14 && /^[ -;=-~][ -~]*[a-z]{2} [a-z]{2}[ -~]*$/.test(text)) found.add(text)
        }
      }
    }
  }
  return [...found]
}

function importedPackages(): Set<string> {
  const found = new Set<string>()
  for (const file of new Bun.Glob("src/{apis,values}/**/*.ts").scanSync(root)) {
    if (file.endsWith(".test.ts")) continue
    const source = readFileSync(join(root, file), "utf8")
    const names = source.matchAll(/(?:from |import\()"((?:@[^/"]+\/)?[a-z][^/":]*)(?=[/"])/g)
    for (const [, name = ""] of names) if (name !== "bun" && !answering.includes(name)) found.add(name)
  }
  return found
}
