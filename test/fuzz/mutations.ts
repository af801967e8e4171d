import fc from "fast-check"
import type { WireRequest } from "./wire.ts"

/** Returns the parts of a request that it changes. */
type Mutation = (request: WireRequest) => Partial<WireRequest>

type Header = readonly [string, string]

const methods = ["GET", "POST", "PUT", "DELETE", "PATCH", "OPTIONS", "HEAD", "TRACE", "PROPFIND"]
const changeMethod = fc.constantFrom(...methods).map(
  (method): Mutation =>
    () => ({ method }),
)

/** Paths that are almost right. */
const paths: readonly ((path: string) => string)[] = [
  (path) => `${path}/`,
  (path) => `/${path}`,
  (path) => `${path}/batch`,
  (path) => `${path}/../usage`,
  (path) => `/%2e%2e${path}`,
  (path) => path.toUpperCase(),
  (path) => path.replace("/v1", "/v2"),
  (path) => path.replace(/[a-z]$/, (last) => `%${last.charCodeAt(0).toString(16)}`),
  (path) => path.replaceAll("/", "%2f").replace("%2f", "/"),
  (path) => path.replaceAll("/", "\\").replace("\\", "/"),
  (path) => `${path}%00`,
  (path) => `${path}%`,
  (path) => `${path}%ff`,
  (path) => `${path};a=1`,
  (path) => `${path}\xff`,
  (path) => `${path}${"/a".repeat(500)}`,
  (path) => `http://elsewhere.example${path}`,
  () => "/",
  () => "/v1/__proto__",
  () => "/v1/constructor/batch",
  () => "/docs/../v1/usage",
  () => "/docs/%2e%2e/%2e%2e/etc/passwd",
  () => "/_mock/requests",
]
const changePath = fc.constantFrom(...paths).map(
  (change): Mutation =>
    ({ target }) => {
      const { path, query } = splitTarget(target)
      // A target that begins with a host is not changed again.
      return path.startsWith("/") ? { target: joinTarget(change(path), query) } : {}
    },
)

const queryParts = [
  ..."% %zz %ff %C0%80 %ED%A0%80 %00 %u0041 + = &&& [] \xe9 ? #x __proto__=1 a[b][c]=1".split(" "),
  ..."format=xml format=csv format=yaml format=JSON format= format=% format format=xml&format=csv".split(" "),
  `x=${"7".repeat(3_000)}`,
  "&a".repeat(500),
]
const changeQuery = fc.tuple(fc.nat(3), fc.nat(200), fc.constantFrom(...queryParts)).map(
  ([kind, at, part]): Mutation =>
    ({ target }) => {
      const { path, query } = splitTarget(target)
      const pairs = query.split("&")
      const index = at % pairs.length
      const pair = pairs[index] ?? ""
      const middle = at % (pair.length + 1)
      const upperNamed = pair.replace(/^[^=]*/, (name) => name.toUpperCase())
      const changed = [
        () => [...pairs, part],
        () => [...pairs, pair],
        () => pairs.with(index, pair.slice(0, middle) + part + pair.slice(middle)),
        () => pairs.with(index, upperNamed),
      ]
      return { target: joinTarget(path, changed[kind]?.().join("&") ?? query) }
    },
)

const subtypes = "json;charset=utf-16 json; problem+json jsonx graphql x-www-form-urlencoded".split(" ")
const headers: readonly Header[] = [
  ...["", "text/plain", "APPLICATION/JSON", "multipart/form-data; boundary=x"].map(withType),
  ...subtypes.map((type) => withType(`application/${type}`)),
  ...[
    ..."application/xml text/yaml application/graphql-response+json */*;q=0 application/xml;q=1e9".split(" "),
    ...["text/csv;q=0.9, */*;q=0.1", ";;;,,,=", "text/html", `${"a/b,".repeat(800)}text/csv`],
  ].map((accept): Header => ["accept", accept]),
  ...["a b", "x".repeat(129), "..", "\x80\xff", "<script>"].map((id): Header => ["x-request-id", id]),
  ...["", "pk-", `pk-${"0".repeat(38)}`, `pk_${"0".repeat(38)}`, "x".repeat(4_000), "\xe9"].map(
    (key): Header => ["x-api-key", key],
  ),
  ...["1.2.3.4", "::1, garbage", ",,,,", "x".repeat(3_000)].map((by): Header => ["x-forwarded-for", by]),
  ["accept-encoding", "gzip;q=0, *;q=NaN"],
  ["accept-encoding", "gzip"],
  ["if-none-match", "*"],
  ["if-none-match", 'W/"x", "'],
  ["origin", "null"],
  ["access-control-request-method", "POST"],
  ["access-control-request-headers", "x-api-key, \xff"],
  ["content-encoding", "gzip"],
  ["cookie", `a=${"b".repeat(3_000)}`],
  ["authorization", "Bearer \xff"],
  ["range", "bytes=0-0,-1"],
  ["x-http-method-override", "DELETE"],
  ["connection", "close"],
  ["host", "a b/c?d#e"],
  ["host", "[::1"],
  ["host", ""],
  ["user-agent", "\t\xff\xfe"],
]
const changeHeader = fc.oneof(
  { weight: 5, arbitrary: fc.constantFrom(...headers).map(setHeader) },
  { weight: 1, arbitrary: fc.constantFrom(...headers).map(addHeader) },
  { weight: 1, arbitrary: fc.constantFrom("content-type", "x-api-key").map(dropHeader) },
)

function withType(type: string): Header {
  return ["content-type", type]
}

function setHeader(header: Header): Mutation {
  return (request) => ({ headers: [...without(request.headers, header[0]), header] })
}

/** Adds a header a second time, except Host: a request with two hosts is always refused. */
function addHeader(header: Header): Mutation {
  return header[0] === "host" ? setHeader(header) : (request) => ({ headers: [...request.headers, header] })
}

function dropHeader(name: string): Mutation {
  return (request) => ({ headers: without(request.headers, name) })
}

const without = (all: readonly Header[], name: string): Header[] => all.filter(([other]) => other !== name)

/** Changes of a body's text: other JSON, text that is not JSON, too much of it. */
const texts: readonly ((json: string) => string)[] = [
  () => "",
  () => "null",
  () => "[]",
  () => '"text"',
  () => "{}",
  () => "[".repeat(5_000),
  () => '{"a":'.repeat(5_000),
  (json) => `\ufeff${json}`,
  (json) => `${json}${json}`,
  (json) => ` \n\t${json}\r\n`,
  (json) => `[${json}]`,
  (json) => json.replace(/\d+/, "1e999"),
  (json) => json.replace(/\d+/, "9".repeat(400)),
  (json) => json.replace(/\d+/, (digits) => `0${digits}`),
  (json) => json.replace(/"[^"]*"(?=[,}\]])/, "1"),
  (json) => json.replace(/:\s*[^,{}[\]]+/, ":null"),
  (json) => json.replace(/:\s*[^,{}[\]]+/, `:${"[".repeat(200)}${"]".repeat(200)}`),
  (json) => json.replace(/:/, ":{}, "),
  (json) => json.replace(/^\{(.*)\}$/s, "{$1,$1}"),
  (json) => json.replace(/^\{/, '{"__proto__":{"message":1,"secret":"x"},'),
  (json) => json.replace(/^\{/, '{"constructor":{"prototype":{"a":1}},'),
  (json) => json.replace(/"(\w)/, (_, first: string) => `"\\u00${first.charCodeAt(0).toString(16)}`),
  (json) => json.replace(/"(\w)/, '"\\ud800$1'),
  (json) => json.replaceAll('"', "'"),
]
const changeText = fc.constantFrom(...texts).map(
  (change): Mutation =>
    ({ body }) =>
      body === null ? {} : { body: Buffer.from(change(body.toString())) },
)

const changeBytes = fc.tuple(fc.nat(4), fc.nat(100_000), fc.integer({ min: 1, max: 255 }), fc.nat(40)).map(
  ([kind, at, byte, length]): Mutation =>
    ({ body }) => {
      if (body === null) return { body: Buffer.from("{}") }
      const from = at % (body.length + 1)
      const [before, after] = [body.subarray(0, from), body.subarray(from)]
      const flipped = Buffer.from(after)
      if (flipped.length > 0) flipped[0] = (flipped[0] ?? 0) ^ byte
      const parts = [
        [before, flipped],
        [before],
        [before, Buffer.from([byte]), after],
        [before, after.subarray(length)],
        [before, after.subarray(0, length), after],
      ]
      return { body: Buffer.concat(parts[kind] ?? []) }
    },
)

/** One mutation of any part of a request. */
export const mutation: fc.Arbitrary<Mutation> = fc.oneof(
  { weight: 1, arbitrary: changeMethod },
  { weight: 2, arbitrary: changePath },
  { weight: 4, arbitrary: changeQuery },
  { weight: 5, arbitrary: changeHeader },
  { weight: 4, arbitrary: changeText },
  { weight: 5, arbitrary: changeBytes },
)

function splitTarget(target: string): { path: string; query: string } {
  const [path = "", ...rest] = target.split("?")
  return { path, query: rest.join("?") }
}

const joinTarget = (path: string, query: string): string => `${path}${query && `?${query}`}`
