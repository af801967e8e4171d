import type { Load } from "./load.ts"

/** The API that does the least work, so that the cost of everything around it shows most. */
export function lookUp(keys: readonly string[]): Load {
  return { method: "GET", path: "/v1/bluetoothlookup?companyid=76", headers: {}, keys, status: 200 }
}

export function sign(keys: readonly string[]): Load {
  return toPost("/v1/hmac", hmacInput, keys)
}

/** A batch of the same input, `count` times. */
export function signMany(keys: readonly string[], count: number): Load {
  return toPost("/v1/hmac/batch", { inputs: Array(count).fill(hmacInput) }, keys)
}

/** One GraphQL query that asks the first `count` of the six APIs that need no DNS. */
export function query(keys: readonly string[], count: number): Load {
  return toPost("/v1/graphql", { query: `{ ${fields.slice(0, count).join(" ")} }` }, keys)
}

function toPost(path: string, body: object, keys: readonly string[]): Load {
  const headers = { "content-type": "application/json" }
  return { method: "POST", path, headers, body: JSON.stringify(body), keys, status: 200 }
}

const hmacInput = { message: "Hi There", secret: "Jefe", algorithm: "sha256", encoding: "hex" }
const tlsaRecord = `_443._tcp.example.com. 3600 IN TLSA 3 1 1 ${"ab".repeat(32)}`
const fields = [
  `bluetoothlookup(input: {companyid: "76"}) { company }`,
  `hmac(input: {message: "Hi There", secret: "Jefe"}) { hmac }`,
  `linesorter(input: {lines: ["banana", "Cherry", "apple"]}) { sorted }`,
  `danevalidator(input: {record: "${tlsaRecord}"}) { validation { is_valid } interpretation { security_level } }`,
  "loanpaymentcalculator(input: {loanAmount: 32000, interestRate: 8.5, loanTerm: 1}) { monthly_payment total_payment }",
  `sunrisesunset(input: {lat: 51.5074, lon: -0.1278, date: "01-01-2025"}) { sunrise sunset }`,
]
