import type { Case } from "../case.ts"
import { compare, cpuRatio, throughputRatio, toRow } from "../compare.ts"
import type { Load } from "../load.ts"
import { lookUp } from "../loads.ts"

/** One query for the six APIs that ask nobody, against one call of the dearest of them and of the cheapest. */
export const graphql: Case = {
  name: "graphql",
  title: "One GraphQL query for six APIs",
  async run(bench) {
    const store = await bench.store(1, 1)
    const command = bench.penknife(store)
    const measured = await compare(bench, [
      { name: "1 API, cheapest, REST", command, load: lookUp(store.keys) },
      { name: "1 API, dearest, REST", command, load: findSunrise(store.keys) },
      { name: "1 API, GraphQL", command, load: ask(store.keys, fields.slice(0, 1)) },
      { name: "6 APIs, GraphQL", command, load: ask(store.keys, fields) },
    ])
    const [cheapest, dearest, one, six] = measured
    if (!cheapest || !dearest || !one || !six) throw new Error("a server was not measured")
    return {
      rows: measured.map(toRow),
      findings: [
        throughputRatio(dearest, six, { atMost: 2 }),
        throughputRatio(cheapest, six, null),
        throughputRatio(cheapest, one, null),
        ...cpuRatio(six, dearest),
        ...cpuRatio(one, cheapest),
      ],
      notes: ["Of requests per second the inverse ratio is that of the time that one takes."],
    }
  },
}

const record = `_443._tcp.example.com. 3600 IN TLSA 3 1 1 ${"ab".repeat(32)}`
const fields = [
  `bluetoothlookup(input: {companyid: "76"}) { company }`,
  `hmac(input: {message: "Hi There", secret: "Jefe"}) { hmac }`,
  `linesorter(input: {lines: ["banana", "Cherry", "apple"]}) { sorted }`,
  `danevalidator(input: {record: "${record}"}) { validation { is_valid } interpretation { security_level } }`,
  "loanpaymentcalculator(input: {loanAmount: 32000, interestRate: 8.5, loanTerm: 1}) { monthly_payment total_payment }",
  `sunrisesunset(input: {lat: 51.5074, lon: -0.1278, date: "01-01-2025"}) { sunrise sunset }`,
]

function ask(keys: readonly string[], selection: readonly string[]): Load {
  return {
    method: "POST",
    path: "/v1/graphql",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ query: `{ ${selection.join(" ")} }` }),
    keys,
    status: 200,
  }
}

function findSunrise(keys: readonly string[]): Load {
  const path = "/v1/sunrisesunset?lat=51.5074&lon=-0.1278&date=01-01-2025"
  return { method: "GET", path, headers: {}, keys, status: 200 }
}
