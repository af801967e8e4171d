import { readFileSync } from "node:fs"
import { join } from "node:path"
import { Glob } from "bun"
import type { Json } from "../../src/apis/jsonschemavalidator/literals.ts"
import { validate } from "../../src/apis/jsonschemavalidator/validate.ts"
import { type Result, type Suite, unlessRefused } from "./oracle.ts"

interface Group {
  readonly description: string
  readonly schema: Json
  readonly tests: readonly { readonly description: string; readonly data: Json; readonly valid: boolean }[]
}

/** Why groups of tests of draft 7 have another result. */
const known: Readonly<Record<string, string>> = {
  "base URI change - change folder in subschema":
    "a JSON Pointer goes through a schema with an $id of its own, which later drafts call undefined, and the library refuses",
  "$ref prevents a sibling $id from changing the base uri":
    "an $id beside $ref counts for the library; draft 7 says that it does not",
}

/** Why tests of an optional file have another result. */
const knownFiles: Readonly<Record<string, string>> = {
  "content.json": "contents in a text are annotations here; draft 7 leaves it open whether they are checked",
  "cross-draft.json": "it refers to a schema of draft 2019-09, which is not one of the drafts here",
  "dependencies-compatibility.json": "`dependencies` is no keyword of 2020-12, and may be ignored",
  "format/iri.json":
    "a host such as [V1.a]: RFC 3986 (3.2.2) ignores the case of the V, and the library is wrong",
}

const drafts = [
  ["draft2020-12", "https://json-schema.org/draft/2020-12/schema"],
  ["draft7", "http://json-schema.org/draft-07/schema#"],
] as const

const suiteOf = (draft: string, dialect: string, isOptional: boolean): Suite => ({
  api: `jsonschemavalidator, ${draft}${isOptional ? ", optional" : ""}`,
  name: "JSON-Schema-Test-Suite",
  get: "git clone https://github.com/json-schema-org/JSON-Schema-Test-Suite",
  async run(folder) {
    const others = remotesOf(folder, draft, dialect)
    const results: Result[] = []
    const tests = join(folder, "tests", draft, isOptional ? "optional" : "")
    for (const file of [...new Glob(isOptional ? "**/*.json" : "*.json").scanSync(tests)].sort()) {
      const groups: Group[] = JSON.parse(readFileSync(join(tests, file), "utf8"))
      for (const group of groups)
        results.push(
          ...(await runGroup(file, withDialect(group, dialect), others, file.startsWith("format/"))),
        )
    }
    return results
  },
})

export const suites: readonly Suite[] = drafts.flatMap(([draft, dialect]) => [
  suiteOf(draft, dialect, false),
  suiteOf(draft, dialect, true),
])

/** Schemas of draft 7 in the suite do not say their draft. */
function withDialect(group: Group, dialect: string): Group {
  const { schema } = group
  const isSilent =
    typeof schema === "object" && schema !== null && !Array.isArray(schema) && !("$schema" in schema)
  return isSilent ? { ...group, schema: { $schema: dialect, ...schema } } : group
}

async function runGroup(
  file: string,
  { description, schema, tests }: Group,
  others: Record<string, Json>,
  hasFormats: boolean,
) {
  const results: Result[] = []
  // A schema that is true or false cannot say its draft, and refers to nothing.
  const referred = typeof schema === "boolean" ? {} : others
  for (const { description: test, data, valid } of tests) {
    const answer = await unlessRefused(() => validate(schema, data, { others: referred, hasFormats }))
    const got = answer?.valid ?? "refused"
    const name = `${file}: ${description}: ${test}: ${got}`
    results.push({ test: name, isRight: got === valid, reason: known[description] ?? knownFiles[file] })
  }
  return results
}

/** The schemas of the suite that its tests refer to, of one draft. */
function remotesOf(folder: string, draft: string, dialect: string): Record<string, Json> {
  const remotes: Record<string, Json> = {}
  for (const file of new Glob("**/*.json").scanSync(join(folder, "remotes"))) {
    const isOther = file.startsWith("v1/") || (file.startsWith("draft") && !file.startsWith(`${draft}/`))
    if (isOther) continue
    const schema = JSON.parse(readFileSync(join(folder, "remotes", file), "utf8"))
    const isOtherDialect = schema.$schema?.startsWith("http") && !sameDialect(schema.$schema, dialect)
    if (!isOtherDialect || schema.$schema.includes("localhost"))
      remotes[`http://localhost:1234/${file}`] = schema
  }
  return remotes
}

const sameDialect = (one: string, other: string): boolean => one.replace("#", "") === other.replace("#", "")
