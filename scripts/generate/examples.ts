import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import type { ApiDefinition, Example } from "../../src/apis/contract.ts"
import { catalog } from "../../src/app/prepare.ts"
import { runExample } from "../../test/support/run-example.ts"

const root = join(import.meta.dir, "../..")

// A process of its own: what else is generated shows the answers, and reads them when the catalog is loaded.
if (import.meta.main)
  for (const [file, text] of await exampleAnswers(catalog)) await Bun.write(join(root, file), text)

/** The text of `answers.json` of each API that has one: the answers to its examples but those that a standard gives. */
export async function exampleAnswers(
  apis: readonly ApiDefinition[],
): Promise<readonly (readonly [file: string, text: string])[]> {
  const stored = apis
    .map((api) => ({ api, file: `src/apis/${api.id}/answers.json` }))
    .filter(({ file }) => existsSync(join(root, file)))
  return Promise.all(
    stored.map(async ({ api, file }) => {
      const typed = typedAnswers(api.id)
      const computed = api.examples.filter(({ name }) => !typed.has(name))
      const entries = computed.map(async (example) => [example.name, await answerTo(api, example)] as const)
      const answers = Object.fromEntries(await Promise.all(entries))
      return [file, `${JSON.stringify(answers, null, 2)}\n`] as const
    }),
  )
}

/** A field that varies from run to run keeps its present value. */
async function answerTo(api: ApiDefinition, example: Example): Promise<object> {
  const answer: Record<string, unknown> = await runExample(api, example)
  const kept: Record<string, unknown> = example.output
  for (const name of example.varying ?? []) answer[name] = kept[name] ?? answer[name]
  return answer
}

/** The names of the examples whose answers are written by hand. */
function typedAnswers(id: string): ReadonlySet<string> {
  const file = join(root, `src/apis/${id}/examples.json`)
  if (!existsSync(file)) return new Set()
  const { examples }: { examples: { name: string; source?: string }[] } = JSON.parse(
    readFileSync(file, "utf8"),
  )
  return new Set(examples.filter(({ source }) => source).map(({ name }) => name))
}
