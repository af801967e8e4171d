import { mock } from "bun:test"
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { ApiDefinition } from "../../src/apis/contract.ts"

const root = join(import.meta.dir, "../..")

/** A client as its developer gets it: types generated from the document, calls by `openapi-fetch`. */
export interface WrittenClient {
  /** The text of the client, with the types beside it in `./schema`. */
  readonly text: string
  /** The compiler's errors in programs beside the types; empty without any. */
  compile(...programs: string[]): string
  /** Runs a program beside the types, and returns what it prints. */
  run(program: string, env: Readonly<Record<string, string>>): Promise<string>
  /** Loads the client: makes the calls of `clientText` at an address with a key. */
  load(): Promise<(url: string, key: string) => Record<string, (options?: object) => Promise<CallResult>>>
  remove(): void
}

interface CallResult {
  readonly data?: unknown
  readonly error?: unknown
  readonly response: Response
}

/** Writes the client of a document, with a call for each path: for an API with each of its examples. */
export const writeClient = (document: string, apis: readonly ApiDefinition[]): Promise<WrittenClient> =>
  writeClientOf(document, clientText(apis))

/** Writes the client of a document. Its text exports `createCalls`. */
export async function writeClientOf(document: string, text: string): Promise<WrittenClient> {
  mkdirSync(join(root, "dist"), { recursive: true })
  // Inside the project, so that the client finds what it imports.
  const folder = mkdtempSync(join(root, "dist/client-"))
  writeFileSync(join(folder, "schema.d.ts"), await generateTypes(document))
  const file = join(folder, "client.ts")
  writeFileSync(file, text)
  function write(program: string): string {
    const name = join(folder, `program-${written++}.ts`)
    writeFileSync(name, program)
    return name
  }
  let written = 0

  return {
    text,
    compile(...programs) {
      const compiler = join(root, "node_modules/typescript/bin/tsc")
      const command = [process.execPath, compiler, ...compilerOptions, ...programs.map(write)]
      const run = Bun.spawnSync(command, { cwd: folder })
      return run.stdout.toString() + run.stderr.toString()
    },
    async run(program, env) {
      const child = Bun.spawn([process.execPath, write(program)], {
        env: { ...process.env, ...env },
        stderr: "inherit",
      })
      return child.stdout.text()
    },
    load: async () => (await import(file)).createCalls,
    remove: () => rmSync(folder, { recursive: true }),
  }
}

const compilerOptions = [
  ...["--ignoreConfig", "--noEmit", "--strict", "--exactOptionalPropertyTypes", "--noUncheckedIndexedAccess"],
  ...["--target", "esnext", "--module", "preserve", "--lib", "esnext,dom,dom.iterable", "--types", ""],
  // One checker, and none for the language's own types: they take longer than the client.
  ...["--checkers", "1", "--skipLibCheck"],
]

/** The generator needs the programming interface of TypeScript 5, which the native compiler does not have. */
async function generateTypes(document: string): Promise<string> {
  const older = await import("typescript-5")
  mock.module("typescript", () => ({ ...older, default: older.default }))
  const { default: openapiTS, astToString } = await import("openapi-typescript")
  // Parameters that have a default may be left out of a request.
  return astToString(await openapiTS(document, { defaultNonNullable: false }))
}

function clientText(apis: readonly ApiDefinition[]): string {
  const calls = apis.flatMap((api) => [
    ...api.examples.map((example, index) => `${api.id}${index}: () => ${callText(api, example.input)}`),
    `${api.id}Batch: () => client.POST("/v1/${api.id}/batch", { body: ${JSON.stringify({ inputs: api.examples.map(({ input }) => input) })} })`,
  ])
  return `import createClient from "openapi-fetch"
import type { paths } from "./schema"

export function createCalls(baseUrl: string, key: string) {
  const client = createClient<paths, "application/json">({ baseUrl, headers: { "x-api-key": key } })
  return {
    ${calls.join(",\n    ")},
    graphql: () => client.POST("/v1/graphql", { body: { query: "{ __typename }" } }),
    usage: () => client.GET("/v1/usage"),
    health: () => client.GET("/health"),
    ready: () => client.GET("/ready"),
    openapi: () => client.GET("/openapi.json"),
  }
}
`
}

function callText({ id, method }: ApiDefinition, input: object): string {
  const parameters = JSON.stringify(input)
  if (method === "POST") return `client.POST("/v1/${id}", { body: ${parameters} })`
  return `client.GET("/v1/${id}", { params: { query: ${parameters} } })`
}
