/** Answers about the catalog stay small when there are many APIs: measured with copies under other ids. */
import { describe, expect, test } from "bun:test"
import type { ApiDefinition } from "../src/apis/contract.ts"
import { catalog } from "../src/app/prepare.ts"
import { createSearch } from "../src/surfaces/mcp/search-endpoint.ts"
import { startCatalogService } from "./support/catalog-service.ts"
import { connectMcp } from "./support/mcp.ts"

/** The catalog, and copies of its APIs until there are so many. */
const copies = (count: number): readonly ApiDefinition[] =>
  Array.from({ length: count }, (_, place) => {
    const api = catalog[place % catalog.length]
    if (!api) throw new Error("the catalog is empty")
    const round = Math.floor(place / catalog.length)
    return round === 0 ? api : { ...api, id: `${api.id}${round}`, title: `${api.title} ${round}` }
  })

describe.each([7, 40, 60, 300])("with %d APIs", (count) => {
  const apis = copies(count)
  const service = startCatalogService(apis)

  test("the list of tools has at most 24 kB, and the instructions tell of more than 12", async () => {
    const { key } = await service.createKey("mega")
    await using mcp = await connectMcp(service.url, key)
    const { tools } = await mcp.client.listTools()
    expect(Buffer.byteLength(JSON.stringify(tools))).toBeLessThanOrEqual(24_000)
    if (count <= 60) expect(tools.map(({ name }) => name)).toEqual(apis.map(({ id }) => id))
    for (const { description, inputSchema } of tools) {
      expect(description).toMatch(/Costs \d+ credits?/)
      expect(inputSchema.type).toBe("object")
    }
    if (count <= 7)
      for (const { annotations, outputSchema } of tools) {
        const hints = { readOnlyHint: true, destructiveHint: false, idempotentHint: true }
        expect(annotations).toMatchObject(hints)
        expect(outputSchema?.type).toBe("object")
      }
    if (count <= 60) {
      const parameters = Object.keys(apis[0]?.input.properties ?? {})
      expect(Object.keys(tools[0]?.inputSchema.properties ?? {})).toEqual(parameters)
    }
    const told = expect(mcp.client.getInstructions())
    if (count > 12) told.toContain("/mcp/search")
    else told.not.toContain("/mcp/search")
    // A tool can be called whether or not the list has room for it.
    const last = apis.at(-1)?.id ?? ""
    expect((await mcp.call(last, {})).text).not.toContain("Unknown")
    await using search = await connectMcp(service.url, key, "/mcp/search")
    expect((await search.call("search_apis", { query: "" })).data?.apis).toHaveLength(count)
  })

  test("the OpenAPI document is not pretty-printed and has shared parts once", async () => {
    const text = await (await fetch(`${service.url}/openapi.json`)).text()
    expect(text).toBe(`${JSON.stringify(JSON.parse(text))}\n`)
    for (const shared of [
      "The number of inputs that failed.",
      "`inputs` as a whole was refused.",
      "The JSON answer as YAML",
    ])
      expect(text.split(shared)).toHaveLength(2)
    // The shared parts have about 60,000 characters.
    expect(text.length).toBeLessThan(60_000 + count * 22_000)
  })
})

test("?category= limits the lists of /mcp and the search; an unknown one names those that there are", async () => {
  const service = startCatalogService(catalog)
  const { key } = await service.createKey("mega")
  const mail = catalog.filter(({ category }) => category === "mail").map(({ id }) => id)
  await using mcp = await connectMcp(service.url, key, "/mcp?category=mail")
  expect((await mcp.client.listTools()).tools.map(({ name }) => name)).toEqual(mail)
  expect((await mcp.client.listResources()).resources.map(({ name }) => name)).toEqual(mail)
  await using search = await connectMcp(service.url, key, "/mcp/search?category=time-and-place")
  expect((await search.call("search_apis", { query: "sunrise mail" })).data).toMatchObject({
    apis: [{ id: "sunrisesunset" }],
  })
  await expect(connectMcp(service.url, key, "/mcp?category=male")).rejects.toThrow("must be one of mail, ")
})

/** Plain questions, and the API that each must find among the first three. Those of APIs that the catalog lacks wait for them. */
const questions: readonly (readonly [question: string, id: string])[] = [
  ["sign a webhook with a secret", "hmac"],
  ["compute a sha256 signature", "hmac"],
  ["what will my mortgage cost each month", "loanpaymentcalculator"],
  ["who may send mail for my domain", "spfvalidator"],
  ["is my SPF record right", "spfvalidator"],
  ["check the TLSA record of a mail server", "danevalidator"],
  ["put lines in alphabetical order", "linesorter"],
  ["which manufacturer made this bluetooth device", "bluetoothlookup"],
  ["when does the sun set tomorrow", "sunrisesunset"],
  ["how long is the day in Oslo", "sunrisesunset"],
  ["is this IBAN right", "ibanvalidator"],
  ["validate a bank account number", "ibanvalidator"],
  ["check a VAT number of a company", "vatvalidator"],
  ["is this credit card number valid", "cardvalidator"],
  ["which country is this phone number from", "phonevalidator"],
  ["is this email address real", "emailvalidator"],
  ["check the ISBN of a book", "gtinvalidator"],
  ["how many addresses are in this subnet", "ipcalculator"],
  ["who made the network card with this MAC address", "macvendor"],
  ["decode a JWT", "jwtdecoder"],
  ["when does this TLS certificate expire", "certificatedecoder"],
  ["who may issue certificates for my domain", "caavalidator"],
  ["draw a QR code", "qrcodegenerator"],
  ["make an EAN barcode", "barcodegenerator"],
  ["turn markdown into HTML", "markdownconverter"],
  ["convert YAML to JSON", "dataconverter"],
  ["does this document fit its JSON schema", "jsonschemavalidator"],
  ["what changed between two JSON documents", "jsondiff"],
  ["take values out of JSON by a path", "jsonpath"],
  ["when does this cron job run next", "cronparser"],
  ["what time is it in Tokyo when it is noon in Paris", "timezoneconverter"],
  ["how far is it from Berlin to Rome", "geodistance"],
]
const known = new Set(catalog.map(({ id }) => id))

test.each(questions.filter(([, id]) => known.has(id)))("the search answers '%s' with %s", (question, id) => {
  expect(
    createSearch(catalog)(question)
      .map((place) => catalog[place]?.id)
      .slice(0, 3),
  ).toContain(id)
})
