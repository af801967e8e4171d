import { expect, test } from "bun:test"
import { noRoute } from "./request.ts"

const apis = [
  ...["hmac", "loanpaymentcalculator", "spfvalidator", "danevalidator", "linesorter", "bluetoothlookup"],
  "sunrisesunset",
]
const known = new Map([
  ...apis.flatMap((id) => [[`/v1/${id}`, "GET"] as const, [`/v1/${id}/batch`, "POST"] as const]),
  ...["/v1/usage", "/v1/graphql", "/health", "/ready", "/metrics", "/openapi.json", "/docs", "/graphiql"].map(
    (path) => [path, "GET"] as const,
  ),
])

const messageFor = (path: string) => noRoute(new Request(`http://localhost${path}`), known).message

test.each([
  // One or two letters mistyped, left out, added or swapped.
  ["/v1/hmca", "/v1/hmac"],
  ["/v1/xmac", "/v1/hmac"],
  ["/v1/bluetothlookup", "/v1/bluetoothlookup"],
  ["/v1/luetoothlookup", "/v1/bluetoothlookup"],
  ["/v1/dnsvalidator", "/v1/danevalidator"],
  ["/v1/sfpvalidator", "/v1/spfvalidator"],
  ["/v1/usages", "/v1/usage"],
  ["/helth", "/health"],
  ["/readyz", "/ready"],
  ["/metric", "/metrics"],
  ["/openapi.yaml", "/openapi.json"],
  // Only the beginning.
  ["/v1/spf", "/v1/spfvalidator"],
  ["/v1/sunrise", "/v1/sunrisesunset"],
  ["/v1/bluetooth/76", "/v1/bluetoothlookup"],
  ["/v1/linesortr/batch", "/v1/linesorter/batch"],
  ["/v1/hmac/bach", "/v1/hmac/batch"],
  // The version or the beginning is another.
  ["/spfvalidator", "/v1/spfvalidator"],
  ["/hmac/batch", "/v1/hmac/batch"],
  ["/usage", "/v1/usage"],
  ["/graphql", "/v1/graphql"],
  ["/v2/linesorter", "/v1/linesorter"],
  ["/api/v1/usage", "/v1/usage"],
  ["/penknife/api/v1/usage", "/v1/usage"],
  ["/V1/LineSorter/", "/v1/linesorter"],
])("the nearest path to %s is %s", (path, nearest) =>
  expect(messageFor(path)).toBe(`No such path. Did you mean ${nearest}? See /docs.`),
)

test.each(["/", "/v1", "/v1/", "/v1/weather", "/favicon.ico", "/robots.txt", "/wp-login.php", "/%00"])(
  "the nearest path to %s is none",
  (path) => expect(messageFor(path)).toBe("No such path. See /docs."),
)

test("the nearest path to a very long one is none", () =>
  expect(messageFor(`/v1/hmac${"a".repeat(10_000)}`)).toBe("No such path. See /docs."))
