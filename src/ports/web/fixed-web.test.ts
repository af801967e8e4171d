import { expect, test } from "bun:test"
import { createFixedWeb, webOff } from "./fixed-web.ts"
import { parseWebFixture } from "./fixture-file.ts"

test("a fixture answers for its URLs alone", async () => {
  const web = createFixedWeb({
    "https://a.example/x": {
      body: "ä",
      certificate: "-----BEGIN CERTIFICATE-----\nAA\nBB\n-----END CERTIFICATE-----",
    },
    "https://A.example": { status: 301, type: "text/html" },
    "https://b.example/": { failure: "timeout" },
  })
  expect(await web.get("https://a.example/x#y")).toEqual({
    kind: "reply",
    status: 200,
    contentType: "text/plain",
    body: new TextEncoder().encode("ä"),
    certificates: ["AABB"],
  })
  expect(await web.get("https://a.example/")).toMatchObject({ status: 301, contentType: "text/html" })
  expect(await web.get("https://b.example")).toMatchObject({ kind: "failure", reason: "timeout" })
  expect(await web.get("https://b.example/y")).toMatchObject({ reason: "no-address" })
  expect(await web.get("http://a.example/x")).toMatchObject({ reason: "url" })
  expect(await webOff.get("https://a.example/x")).toMatchObject({ reason: "off" })
})

test.each([
  ["http://a.example/: {}", "'http://a.example/' must be a URL of https:"],
  ["https://a.example:8/: {}", "must be a URL of https:"],
  ["https://a.example/: text", "must be a mapping"],
  ["https://a.example/: [1]", "must be a mapping"],
  ["https://a.example/: {bodi: x}", "has 'bodi'; there are status, type, body, certificate"],
  ["https://a.example/: {body: 1}", "must have a text as 'body'"],
  ["https://a.example/: {status: 99}", "must have a status from 100 to 599"],
  ["https://a.example/: {status: '200'}", "must have a status from 100 to 599"],
  ["https://a.example/: {failure: slow}", "must fail with one of off, url, no-address"],
  ["- x", "it must be a mapping from URLs to replies"],
  ["x: [", "flow sequence"],
  ["https://a.example/: {}\nhttps://a.example/: {}", "line 2: Map keys must be unique"],
  ["a: &a [1]\nb: {c: &b [*a, *a]}", "must be a URL"],
])("%s is refused", (text, message) =>
  expect(() => parseWebFixture(text)).toThrow(new RegExp(message.replace(/[[\]()?*.]/g, "\\$&"), "i")),
)

test("an empty file is a fixture without replies", () => expect(parseWebFixture("# nothing\n")).toEqual({}))

test("thousands of levels are refused before they are read", () =>
  expect(() => parseWebFixture(`https://a.example/: ${"[".repeat(16_000)}`)).toThrow(
    "line 1: the mapping must have at most 20 levels",
  ))
