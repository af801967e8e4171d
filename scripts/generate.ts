/**
 * Renews everything that is derived from the code: `bun run generate`. That is docs/schema.graphql, docs/penknife-plugin.d.ts,
 * the answers to the examples of each API (`answers.json` beside it), its page in docs/apis, each part of another page between
 * `<!-- name -->` and `<!-- /name -->`, and each answer shown below a curl command. test/readme.test.ts fails when one of them is
 * out of date.
 */
import { readFileSync, rmSync } from "node:fs"
import { join } from "node:path"
import { Glob } from "bun"
import { catalog } from "../src/app/prepare.ts"
import { mockOptions, mockOwn, options } from "../src/config/options.ts"
import { printCatalogSchema } from "../src/surfaces/graphql/schema.ts"
import { fillAnswers, startAnswering } from "./generate/answers.ts"
import { apiIndex, apiPage, apiTable } from "./generate/apis.ts"
import { exampleAnswers } from "./generate/examples.ts"
import { seedTables } from "./generate/mock-seed.ts"
import { reachTable } from "./generate/permission-reach.ts"
import { pluginTypes } from "./generate/plugin-types.ts"
import { problemTable } from "./generate/problems.ts"
import { planTable, settingsTable } from "./generate/settings.ts"

const root = join(import.meta.dir, "..")

/** The pages that are searched for parts and answers. Those in docs/apis are made as a whole. */
const pages: readonly string[] = ["README.md", ...new Glob("docs/*.md").scanSync(root)].sort()

const parts: Readonly<Record<string, () => string | Promise<string>>> = {
  "api-table": () => apiTable(catalog),
  "api-index": () => apiIndex(catalog),
  settings: () => settingsTable(Object.values(options)),
  "mock-settings": () =>
    settingsTable([...Object.values(mockOwn), ...Object.values(mockOptions)], Object.values(options)),
  "mock-seed": seedTables,
  plans: planTable,
  problems: problemTable,
  "permission-reach": reachTable,
  example: () => codeOf("ts", "examples/vitest/retry.test.ts"),
}

if (import.meta.main) {
  const files = await generate()
  for (const [file, text] of files) await Bun.write(join(root, file), text)
  for (const page of apiPages()) if (!files.has(page)) rmSync(join(root, page))
}

/** The existing pages of APIs. If an API is removed, its page is among them but is no longer generated. */
export function apiPages(): readonly string[] {
  return [...new Glob("docs/apis/*").scanSync(root)]
}

/** The text that each generated file should have, by its path from the project's root. */
export async function generate(): Promise<ReadonlyMap<string, string>> {
  const files = new Map([
    ["docs/schema.graphql", printCatalogSchema(catalog)],
    ["docs/penknife-plugin.d.ts", pluginTypes()],
    ...(await exampleAnswers(catalog)),
  ])
  const service = await startAnswering()
  try {
    for (const page of pages) {
      files.set(page, await fillAnswers(await fillParts(read(page)), service))
    }
    for (const api of catalog) {
      const more = `docs/${api.id}.md`
      const page = apiPage(api, pages.includes(more) ? `../${api.id}.md` : null)
      files.set(`docs/apis/${api.id}.md`, await fillAnswers(page, service))
    }
  } finally {
    await service.stop()
  }
  return files
}

/** @throws Error for a part whose name is unknown */
async function fillParts(text: string): Promise<string> {
  let filled = text
  for (const [part, name = ""] of text.matchAll(/^<!-- ([a-z-]+) -->\n.*?^<!-- \/\1 -->/gms)) {
    const render = parts[name]
    if (!render) throw new Error(`No generated part is called '${name}'.`)
    const rendered = await render()
    filled = filled.replace(part, () => `<!-- ${name} -->\n${rendered}<!-- /${name} -->`)
  }
  return filled
}

/** A file as a block of code. */
function codeOf(language: string, file: string): string {
  return `\`\`\`${language}\n${read(file)}\`\`\`\n`
}

function read(file: string): string {
  return readFileSync(join(root, file), "utf8")
}
