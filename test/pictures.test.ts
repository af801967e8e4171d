/** A picture in an answer: as text in the envelope, as bytes for who asks for them, and as an image for agents. */
import { expect, test } from "bun:test"
import { Type } from "@sinclair/typebox"
import { defineApi, premium } from "../src/apis/contract.ts"
import { prepareApi } from "../src/call/prepared-api.ts"
import { apiPaths } from "../src/surfaces/openapi/api-paths.ts"
import { picture } from "../src/values/picture.ts"
import { type CatalogDocument, toOfferedApis } from "../src/web/playground/offered-api.ts"
import { echoApi, startCatalogService } from "./support/catalog-service.ts"
import { connectMcp } from "./support/mcp.ts"

const svg = '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'
const png = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 255])
const drawing = defineApi({
  ...echoApi("drawing", ({ what }) => ({ done: what })),
  output: Type.Object({
    svg: picture(Type.String({ description: "As SVG." }), "image/svg+xml"),
    png: premium(picture(Type.String({ description: "As PNG, in base64." }), "image/png")),
  }),
  examples: [],
  run: () => ({ svg, png: png.toString("base64") }),
})
const service = startCatalogService([drawing])

async function draw(key: string, accept: string, query = "", body: object = { what: "x" }) {
  const answer = await fetch(`${service.url}/v1/drawing${query}`, {
    method: "POST",
    headers: { accept, "content-type": "application/json", "x-api-key": key },
    body: JSON.stringify(body),
  })
  const bytes = Buffer.from(await answer.arrayBuffer())
  return { status: answer.status, type: answer.headers.get("content-type"), headers: answer.headers, bytes }
}

test("the picture itself for who asks for its type, with headers that keep its scripts from running; it is charged", async () => {
  const { key } = await service.createKey("pro")
  const drawn = await draw(key, "image/svg+xml")
  expect([drawn.status, drawn.type, drawn.bytes.toString()]).toEqual([200, "image/svg+xml", svg])
  expect(drawn.headers.get("x-content-type-options")).toBe("nosniff")
  expect(drawn.headers.get("content-security-policy")).toBe(
    "default-src 'none'; style-src 'unsafe-inline'; sandbox",
  )
  expect([drawn.headers.get("x-api-credits-used"), drawn.headers.get("vary")]).toEqual(["1", "Accept"])
  const raster = await draw(key, "image/png, application/json;q=0.5")
  expect([raster.type, raster.bytes]).toEqual(["image/png", png])
  // As a browser asks for an image.
  expect((await draw(key, "image/avif,image/webp,image/svg+xml,image/*,*/*;q=0.8")).type).toBe(
    "image/svg+xml",
  )
})

test.each([
  ["application/json", ""],
  ["*/*", ""],
  ["image/svg+xml;q=0.1, application/json", ""],
  ["image/svg+xml", "?format=json"],
  ["image/gif", ""],
])("the envelope for %s %s", async (accept, query) => {
  const { key } = await service.createKey("pro")
  const { type, bytes } = await draw(key, accept, query)
  expect([type, JSON.parse(bytes.toString()).data]).toEqual([
    "application/json",
    { svg, png: png.toString("base64") },
  ])
})

test("a refusal, and a picture that the plan lacks, come in the envelope", async () => {
  const { key } = await service.createKey("free")
  const refused = await draw(key, "image/svg+xml", "", {})
  expect([refused.status, refused.type]).toEqual([400, "application/json"])
  const lacking = await draw(key, "image/png")
  expect([lacking.type, JSON.parse(lacking.bytes.toString()).data]).toEqual(["application/json", { svg }])
})

test("OpenAPI and the playground know the pictures", () => {
  const { paths, schemas } = apiPaths(prepareApi(drawing), "Data")
  const document: CatalogDocument = JSON.parse(JSON.stringify({ paths, components: { schemas } }))
  expect(Object.keys(document.paths["/v1/drawing"]?.post?.responses?.[200]?.content ?? {})).toEqual(
    "application/json application/xml application/yaml text/csv image/svg+xml image/png".split(" "),
  )
  expect(toOfferedApis(document)[0]?.pictures).toEqual([
    ["svg", "image/svg+xml"],
    ["png", "image/png"],
  ])
})

test("an agent gets images beside the data", async () => {
  const { key } = await service.createKey("pro")
  for (const [path, name, input] of [
    ["/mcp", "drawing", { what: "x" }],
    ["/mcp/search", "call_api", { id: "drawing", input: { what: "x" } }],
  ] as const) {
    await using agent = await connectMcp(service.url, key, path)
    const { content, structuredContent } = await agent.client.callTool({ name, arguments: input })
    expect(structuredContent).toEqual({ svg, png: png.toString("base64") })
    expect(content).toEqual([
      { type: "text", text: expect.any(String) },
      { type: "image", mimeType: "image/svg+xml", data: Buffer.from(svg).toString("base64") },
      { type: "image", mimeType: "image/png", data: png.toString("base64") },
    ])
  }
})
