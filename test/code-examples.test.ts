/** The code that documentation and playground show: it runs as it stands and gets the answer that is shown with it. */
import { describe, expect, test } from "bun:test"
import { join } from "node:path"
import type { ApiDefinition } from "../src/apis/contract.ts"
import { catalog } from "../src/app/prepare.ts"
import type { CodeCall } from "../src/code-examples/code-call.ts"
import { codeLanguages } from "../src/code-examples/languages.ts"
import { createZoneDns } from "../src/ports/dns/zone.ts"
import { once } from "../src/values/once.ts"
import { startTestMock } from "./support/mock.ts"
import { runProgram } from "./support/run-program.ts"
import { startTestService } from "./support/service.ts"
import { tempDir } from "./support/temp.ts"
import { inTurn } from "./support/turns.ts"

const dir = tempDir()
const zone = Object.assign({}, ...catalog.flatMap(({ examples }) => examples.map((one) => one.given?.dns)))
const service = await startTestService({ ports: { dns: createZoneDns(zone) } })
const { key } = await service.createKey("pro")
/** Its pages have the examples with the names that the zone has. */
const mock = await startTestMock()

/** The command that runs a file of code. */
const runners: Readonly<Record<string, (file: string) => readonly string[]>> = {
  curl: (file) => ["sh", file],
  javascript: (file) => [process.execPath, file],
  python: (file) => ["python3", file],
  go: (file) => ["go", "run", file],
}
const extensions: Readonly<Record<string, string>> = { curl: "sh", javascript: "mjs", python: "py", go: "go" }
const programs: Readonly<Record<string, string>> = { curl: "curl", python: "python3", go: "go" }

/** Commands that run several files one after the other and write a NUL after the output of each: one start instead of many. */
const runnersOfMany: Readonly<Record<string, readonly string[]>> = {
  curl: ["sh", "-c", `for file; do sh "$file" || exit; printf '\\0'; done`, "sh"],
  javascript: [
    process.execPath,
    "-e",
    `for (const file of process.argv.slice(1)) { await import(file); process.stdout.write("\\0") }`,
  ],
  python: [
    "python3",
    "-c",
    `import runpy, sys
for file in sys.argv[1:]:
    runpy.run_path(file, run_name="__main__")
    print(end="\\0")`,
  ],
}

async function writeCode(language: string, code: string): Promise<string> {
  const file = join(dir, `${Bun.hash(code)}.${extensions[language]}`)
  await Bun.write(file, code)
  return file
}

const runCode = async (language: string, code: string): Promise<string> =>
  outputOf(runners[language]?.(await writeCode(language, code)) ?? [])

/** The outputs of some code, one for each. */
async function runAllCode(language: string, codes: readonly string[]): Promise<readonly string[]> {
  const many = runnersOfMany[language]
  if (many === undefined) {
    const outputs: string[] = []
    for (const code of codes) outputs.push(await runCode(language, code))
    return outputs
  }
  const files = await Promise.all(codes.map((code) => writeCode(language, code)))
  const outputs = (await outputOf([...many, ...files])).split("\0")
  expect(outputs).toHaveLength(codes.length + 1)
  return outputs
}

/** The output of a program. */
async function outputOf(command: readonly string[]): Promise<string> {
  const { out, err, code } = await runProgram(command, { env: { ...process.env, NO_COLOR: "1" } })
  if (code !== 0) throw new Error(`${command.join(" ")} ended with ${code}: ${err}${out}`)
  return out
}

const pages = new Map<string, Promise<string>>()

/** The page of an API. Each language reads it. */
function pageOf(id: string): Promise<string> {
  const page = pages.get(id) ?? mock.fetch(`/apis/${id}`).then((answer) => answer.text())
  pages.set(id, page)
  return page
}

/** The code of a page, as a reader copies it. */
async function codeOf(id: string, language: string): Promise<string[]> {
  const text = await pageOf(id)
  const blocks = [...text.matchAll(new RegExp(`<code data-language="${language}">(.*?)</code>`, "gs"))]
  return blocks.map(([, code = ""]) => withoutEscapes(code.replaceAll(/<[^>]*>/g, "")))
}

/**
 * The APIs whose examples are run in a language: a sixth, which follows from the commit, and in Go, which compiles each, half of
 * those that are the first with their method and kinds of values.
 */
function apisIn(language: string): readonly ApiDefinition[] {
  if (language !== "go") return inTurn(catalog, 6)
  const kinds = new Map<string, ApiDefinition>()
  for (const api of catalog) {
    const values = Object.values(api.examples[0]?.input ?? {})
    const types = values.map((value) => (Array.isArray(value) ? `list of ${typeof value[0]}` : typeof value))
    const kind = [api.method, ...new Set(types.sort())].join(" ")
    if (!kinds.has(kind)) kinds.set(kind, api)
  }
  return inTurn([...kinds.values()], 2)
}

function withoutEscapes(code: string): string {
  const characters = { lt: "<", gt: ">", quot: '"', "#x27": "'", amp: "&" } as const
  return code.replaceAll(/&(lt|gt|quot|#x27|amp);/g, (_, name: keyof typeof characters) => characters[name])
}

for (const { id: language, name, write } of codeLanguages) {
  const program = programs[language]
  if (program !== undefined && Bun.which(program) === null) {
    console.error(`\n!! LEFT OUT: the code examples in ${name}. '${program}' is not installed.\n`)
    continue
  }
  const apis = apisIn(language)
  /** The output of the first example of each API. */
  const runExamples = once(async () => {
    const codes = await Promise.all(
      apis.map(async ({ id, examples }) => {
        const shown = await codeOf(id, language)
        expect([id, shown.length]).toEqual([id, examples.length])
        return shown[0]?.replaceAll("http://localhost:8080", service.url).replaceAll("YOUR-KEY", key) ?? ""
      }),
    )
    const outputs = await runAllCode(language, codes)
    return new Map(apis.map(({ id }, index) => [id, outputs[index]]))
  })

  describe(name, () => {
    test.each(apis.map(({ id, examples }) => [id, examples[0]] as const))(
      "%s: the page has each example, and the first runs and is answered",
      async (id, example) => {
        const first = String(Object.keys(example?.output ?? {})[0])
        expect((await runExamples()).get(id)).toContain(first)
      },
      300_000,
    )

    test("carries texts that mean something to shells and languages", async () => {
      const message = `'$(touch x)' "\`\\n\${HOME} é😀\u2028 </script> {{x}} %s\t\n\rend`
      const hmac: CodeCall = {
        method: "POST",
        url: `${service.url}/v1/hmac`,
        key,
        input: { message, secret: message },
      }
      const expected = new Bun.CryptoHasher("sha256", message).update(message).digest("hex")
      expect(await runCode(language, write(hmac))).toContain(expected)
    }, 300_000)

    test("asks for a format, and ends with an error when the call is refused", async () => {
      const url = `${service.url}/v1/bluetoothlookup`
      const call: CodeCall = { method: "GET", url, key, input: { companyid: "0x004C" }, format: "csv" }
      expect(await runCode(language, write(call))).toContain("companyIdHex,0x004C")
      const refused = write({ ...call, key: "pk-wrong" })
      // curl prints an answer whatever its status is.
      if (language === "curl") expect(await runCode(language, refused)).toContain("mistyped")
      else await expect(runCode(language, refused)).rejects.toThrow("mistyped")
    }, 300_000)
  })
}
