/** Isolated APIs in the executable: it has the code of their threads and their libraries, for each way to call them. */
import { expect, test } from "bun:test"
import { join } from "node:path"
import type { ApiDefinition, Example } from "../../src/apis/contract.ts"
import { catalog } from "../../src/app/prepare.ts"
import { toFlagTexts } from "../../src/surfaces/cli/call.ts"
import { tempDir } from "../support/temp.ts"
import { createAccount } from "./accounts.ts"
import { run, serve, start } from "./support.ts"

const isolated = catalog.filter((api) => api.isolated)
const dir = tempDir()

async function post(url: string, path: string, key: string, body: unknown) {
  const headers = { "x-api-key": key, "content-type": "application/json" }
  const answer = await fetch(`${url}${path}`, { method: "POST", headers, body: JSON.stringify(body) })
  return (await answer.json()) as {
    readonly data: { readonly results?: readonly { readonly data: unknown }[] }
  }
}

test.each(isolated.map((api) => [api.id, api] as const))("%s over REST and in a batch", async (id, api) => {
  const db = join(dir, `${id}.db`)
  const { key } = await createAccount(db)
  const { url } = await serve(db)
  for (const { input, output } of api.examples)
    expect<unknown>((await post(url, `/v1/${id}`, key, input)).data).toEqual(output)
  const batch = await post(url, `/v1/${id}/batch`, key, { inputs: api.examples.map(({ input }) => input) })
  expect<unknown>(batch.data.results?.map(({ data }) => data)).toEqual(
    api.examples.map(({ output }) => output),
  )
})

test("the test double answers as the service", async () => {
  const { url } = await start(["mock", "--port", "0"])
  for (const { id, examples } of isolated)
    for (const { input, output } of examples)
      expect<unknown>((await post(url, `/v1/${id}`, "mock-pro", input)).data).toEqual(output)
})

test.each(isolated.map((api) => [api.id, api] as const))("the command 'call %s'", async (id, api) => {
  for (const example of api.examples) {
    const { code, out, err } = await run(["call", id, ...flagsOf(api, example)])
    expect({ code, err, data: JSON.parse(out) }).toEqual({ code: 0, err: "", data: example.output })
  }
})

function flagsOf({ input: { properties } }: ApiDefinition, { input }: Example): string[] {
  return Object.entries(input).flatMap(([name, value]) => {
    const schema = properties[name]
    return schema ? toFlagTexts(schema, value).flatMap((text) => [`--${name}`, text]) : []
  })
}
