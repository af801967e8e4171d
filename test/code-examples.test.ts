/** The code that documentation and playground show: it runs as it stands and gets the answer that is shown with it. */
import { describe, expect, test } from "bun:test"
import { join } from "node:path"
import { catalog } from "../src/app/prepare.ts"
import type { CodeCall } from "../src/code-examples/code-call.ts"
import { codeLanguages } from "../src/code-examples/languages.ts"
import { createZoneDns } from "../src/ports/dns/zone.ts"
import { startTestService } from "./support/service.ts"
import { tempDir } from "./support/temp.ts"

const dir = tempDir()
const zone = Object.assign({}, ...catalog.flatMap(({ examples }) => examples.map((one) => one.given?.dns)))
const service = await startTestService({ ports: { dns: createZoneDns(zone) } })
const { key } = await service.createKey("pro")

/** The command that runs a file of code. */
const runners: Readonly<Record<string, (file: string) => readonly string[]>> = {
  curl: (file) => ["sh", file],
  javascript: (file) => [process.execPath, file],
  python: (file) => ["python3", file],
  go: (file) => ["go", "run", file],
}
const extensions: Readonly<Record<string, string>> = { curl: "sh", javascript: "mjs", python: "py", go: "go" }
const programs: Readonly<Record<string, string>> = { curl: "curl", python: "python3", go: "go" }

/** The output of a program. */
async function runCode(language: string, code: string): Promise<string> {
  const file = join(dir, `${Bun.hash(code)}.${extensions[language]}`)
  await Bun.write(file, code)
  const command = runners[language]?.(file) ?? []
  const child = Bun.spawn([...command], {
    stdout: "pipe",
    stderr: "pipe",
    env: { ...process.env, NO_COLOR: "1" },
  })
  const [out, err, exit] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
  if (exit !== 0) throw new Error(`${command.join(" ")} ended with ${exit}: ${err}${out}`)
  return out
}

/** The code of a page, as a reader copies it. */
async function codeOf(id: string, language: string): Promise<string[]> {
  const text = await (await service.fetch(`/apis/${id}`)).text()
  const blocks = [...text.matchAll(new RegExp(`<code data-language="${language}">(.*?)</code>`, "gs"))]
  return blocks.map(([, code = ""]) => withoutEscapes(code.replaceAll(/<[^>]*>/g, "")))
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
  describe(name, () => {
    test.each(catalog.map(({ id }) => id))(
      "%s: every example of the page runs and is answered",
      async (id) => {
        const examples = catalog.find((api) => api.id === id)?.examples ?? []
        const codes = await codeOf(id, language)
        expect(codes).toHaveLength(examples.length)
        for (const [index, code] of codes.entries()) {
          const answer = await runCode(
            language,
            code.replaceAll("http://localhost:8080", service.url).replaceAll("YOUR-KEY", key),
          )
          const first = String(Object.keys(examples[index]?.output ?? {})[0])
          expect(JSON.stringify(answer)).toContain(first)
        }
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
