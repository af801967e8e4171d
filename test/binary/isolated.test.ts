/** The executable contains the code of the threads of isolated APIs and their libraries, for each way to call them. */
import { expect, test } from "bun:test"
import { join } from "node:path"
import type { ApiDefinition, Example } from "../../src/apis/contract.ts"
import { catalog } from "../../src/app/prepare.ts"
import { toFlagTexts } from "../../src/surfaces/cli/call.ts"
import { toRequest } from "../support/service.ts"
import { tempDir } from "../support/temp.ts"
import { createAccount } from "./accounts.ts"
import { run, serveForFile, start } from "./support.ts"

const isolated = catalog.filter((api) => api.isolated)

async function send(url: string, api: ApiDefinition, key: string, input: Example["input"]) {
  const { path, init } = toRequest(api, input)
  return read(fetch(`${url}${path}`, { ...init, headers: { ...init.headers, "x-api-key": key } }))
}

async function sendJson(url: string, method: "POST" | "PUT", key: string, body: unknown) {
  const headers = { "x-api-key": key, "content-type": "application/json" }
  return read(fetch(url, { method, headers, body: JSON.stringify(body) }))
}

const read = async (answer: Promise<Response>) =>
  (await (await answer).json()) as {
    readonly data: { readonly results?: readonly { readonly data: unknown }[] }
  }

/** An answer that depends on the time has the same fields at another time. */
function expectAnswer(data: unknown, { output, given }: Example) {
  if (given) expect(Object.keys(data ?? {})).toEqual(Object.keys(output))
  else expect(data).toEqual(output)
}

const db = join(tempDir(), "isolated.db")
const { key } = await createAccount(db)
const { url } = await serveForFile(db)

test.each(isolated.map((api) => [api.id, api] as const))("%s over REST and in a batch", async (id, api) => {
  for (const example of api.examples) expectAnswer((await send(url, api, key, example.input)).data, example)
  const inputs = api.examples.map(({ input }) => input)
  const { results } = (await sendJson(`${url}/v1/${id}/batch`, "POST", key, { inputs })).data
  expect(results).toHaveLength(inputs.length)
  api.examples.forEach((example, index) => {
    expectAnswer(results?.[index]?.data, example)
  })
})

test("the test double answers as the service", async () => {
  const { url } = await start(["mock", "--port", "0"])
  for (const api of isolated)
    for (const { input, output, given } of api.examples) {
      if (given?.now) await sendJson(`${url}/_mock/clock`, "PUT", "mock-pro", { now: given.now })
      // At the start it has the zones of all examples, in which an address may have a name that this example does not know.
      if (given?.dns) await sendJson(`${url}/_mock/dns`, "PUT", "mock-pro", given.dns)
      expect<unknown>((await send(url, api, "mock-pro", input)).data).toEqual(output)
    }
})

/** One API: the service has found the code of all threads, and catalog.test.ts gives all examples to the command. */
test("the command 'call' answers", async () => {
  const [api] = isolated
  const [example] = api?.examples ?? []
  if (!api || !example) throw new Error("no isolated API has an example")
  const { code, out, err } = await run(["call", api.id, ...flagsOf(api, example)])
  expect({ code, err }).toEqual({ code: 0, err: "" })
  expectAnswer(JSON.parse(out), example)
})

const flagsOf = ({ input: { properties } }: ApiDefinition, { input }: Example): string[] =>
  Object.entries(input).flatMap(([name, value]) => {
    const schema = properties[name]
    return schema ? toFlagTexts(schema, value).flatMap((text) => [`--${name}`, text]) : []
  })
