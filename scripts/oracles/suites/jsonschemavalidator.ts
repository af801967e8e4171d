import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { Glob } from "bun"
import { InputRejected } from "../../../src/apis/contract.ts"
import { type Json, validate } from "../../../src/apis/jsonschemavalidator/validate.ts"
import type { Suite, SuiteResult } from "../suite.ts"

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

const drafts = [
  ["draft2020-12", "https://json-schema.org/draft/2020-12/schema"],
  ["draft7", "http://json-schema.org/draft-07/schema#"],
] as const

export const suites: readonly Suite[] = drafts.map(([draft, dialect]) => ({
  api: `jsonschemavalidator, ${draft}`,
  name: "JSON-Schema-Test-Suite",
  get: "git clone https://github.com/json-schema-org/JSON-Schema-Test-Suite",
  async run(folder) {
    const others = remotesOf(folder, draft, dialect)
    const results: SuiteResult[] = []
    for (const file of readdirSync(join(folder, "tests", draft)).filter((name) => name.endsWith(".json"))) {
      const groups: Group[] = JSON.parse(readFileSync(join(folder, "tests", draft, file), "utf8"))
      for (const group of groups) results.push(...(await runGroup(file, withDialect(group, dialect), others)))
    }
    return results
  },
}))

/** Schemas of draft 7 in the suite do not say their draft. */
function withDialect(group: Group, dialect: string): Group {
  const { schema } = group
  const isSilent =
    typeof schema === "object" && schema !== null && !Array.isArray(schema) && !("$schema" in schema)
  return isSilent ? { ...group, schema: { $schema: dialect, ...schema } } : group
}

async function runGroup(file: string, { description, schema, tests }: Group, others: Record<string, Json>) {
  const results: SuiteResult[] = []
  for (const { description: test, data, valid } of tests) {
    let got: boolean | string
    try {
      got = (await validate(schema, data, { others })).valid
    } catch (error) {
      if (!(error instanceof InputRejected)) throw error
      got = error.message
    }
    const name = `${file}: ${description}: ${test}: ${got}`
    results.push({ test: name, isRight: got === valid, reason: known[description] })
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

function sameDialect(one: string, other: string): boolean {
  return one.replace("#", "") === other.replace("#", "")
}
