/** A request that holds up the service for as long as its limits allow. */
export interface HostileRequest {
  readonly name: string
  readonly path: string
  readonly body: string
  /** The `Accept` header; JSON if it is left out. */
  readonly accept?: string
}

const maxBytes = 2_097_152

/** For each API, surface and format: what takes longest within the limits of a request, or right beyond one of them. */
export function hostileRequests(): HostileRequest[] {
  return [...bodies(), ...sorts(), ...otherApis(), ...batches(), ...queries()]
}

/** Repeats a unit up to the size limit of a body. */
function filled(start: string, unit: string, end: string, separator = ","): string {
  const unitBytes = Buffer.byteLength(unit + separator)
  const count = Math.floor((maxBytes - start.length - end.length) / unitBytes)
  return start + Array(count).fill(unit).join(separator) + end
}

function bodies(): HostileRequest[] {
  const keys = (count: number, toKey: (index: number) => string) =>
    `{${Array.from({ length: count }, (_, index) => `"${toKey(index)}":1`).join()}}`
  const depth = maxBytes / 2 - 20
  const shapes: Readonly<Record<string, string>> = {
    numbers: filled('{"x":[', "1", "]}"),
    "empty arrays": filled('{"x":[', "[]", "]}"),
    "empty objects": filled('{"x":[', "{}", "]}"),
    names: keys(170_000, (index) => `k${index}`),
    "numeric names": keys(220_000, (index) => `${index * 7}`),
    "objects of different shapes": filledWith((index) => `{"k${index}":{"l${index}":0}}`),
    "nested arrays": `{"x":${"[".repeat(depth)}${"]".repeat(depth)}}`,
    "nested objects": `{"x":${'{"a":'.repeat(340_000)}1${"}".repeat(340_000)}}`,
    "a mistake at the end": filled('{"x":[', "[]", "}"),
    "a number of a million digits": `{"x":${"7".repeat(1_000_000)}}`,
  }
  return Object.entries(shapes).map(([name, body]) => ({ name: `body: ${name}`, path: "/v1/hmac", body }))
}

function filledWith(toUnit: (index: number) => string): string {
  let body = '{"x":[0'
  for (let index = 0; body.length < maxBytes - 100; index++) body += `,${toUnit(index)}`
  return `${body}]}`
}

function sorts(): HostileRequest[] {
  const path = "/v1/linesorter"
  const accented = (fill: string) =>
    Array.from(
      { length: 10_000 },
      (_, index) => Array.from({ length: 14 }, (_, bit) => (index & (1 << bit) ? "a" : "á")).join("") + fill,
    )
  const sort = (lines: readonly string[], more = {}) => JSON.stringify({ lines, ...more })
  const long = (fill: string) =>
    Array.from({ length: 6 }, (_, index) => `${index % 2 ? "a" : "á"}${fill}${index}`)
  const texts: Readonly<Record<string, string>> = {
    words: sort(Array.from({ length: 10_000 }, (_, index) => `line ${(index * 7_919) % 10_000}`)),
    "accents and U+FDFA": sort(accented("\ufdfa".repeat(58))),
    "accents and marks": sort(accented(`a${"\u0323\u0301".repeat(15)}`.repeat(2))),
    "accents and repeated U+0F71": sort(
      accented("b")
        .slice(0, 340)
        .map((line) => `${line}a${"\u0f71".repeat(30)}`),
    ),
    "long lines with an accent": sort(long("x".repeat(99_990))),
    "long lines with marks": sort(long(`a${"\u0323\u0301".repeat(15)}`.repeat(3_200)).slice(0, 6)),
    "long lines of U+FDFA": sort(long("\ufdfa".repeat(22_000))),
    "long lines of pairs, by code point": sort(long("\u{1f600}".repeat(80_000)), { caseSensitive: true }),
    "2 MB of U+0F73": sort(["a", "A"].map((letter) => letter + "\u0f73".repeat(340_000))),
    "half a million lines": filled('{"lines":[', '"a"', "]}"),
  }
  const formats = ["application/xml", "application/yaml", "text/csv"]
  const fills = {
    ampersands: "&".repeat(200),
    "line separators": "\u2028".repeat(66),
    quotes: '\\"'.repeat(100),
  }
  return [
    ...Object.entries(texts).map(([name, body]) => ({ name: `linesorter: ${name}`, path, body })),
    ...["application/json", ...formats].flatMap((accept) => [
      ...Object.entries(fills).map(([name, fill]) => ({
        name: `linesorter: ${name} as ${accept}`,
        path,
        body: `{"lines":[${Array(10_000).fill(`"${fill}"`).join()}]}`,
        accept,
      })),
      {
        name: `linesorter: few long lines as ${accept}`,
        path,
        body: sort(Array(20).fill("&".repeat(100_000))),
        accept,
      },
    ]),
  ]
}

function otherApis(): HostileRequest[] {
  const dane = (record: string) => JSON.stringify({ record })
  const owner = "_443._tcp.example.com. 3600 IN TLSA"
  const records: Readonly<Record<string, string>> = {
    "hexadecimal digits": dane(`${owner} 3 0 0 ${"ab".repeat(65_000)}`),
    "pairs of digits": dane(`${owner} 3 0 0 ${"ab ".repeat(49_000)}`),
    backslashes: dane(`_443._tcp.${"\\".repeat(149_000)} IN TLSA 3 1 1 ab`),
    dots: dane(`_443._tcp${".".repeat(149_000)} IN TLSA 3 1 1 ab`),
    "digits of a number": dane(`${owner} 3 1 ${"1".repeat(149_000)} ab`),
    "digits of a time to live": dane(`_443._tcp.example.com. ${"1w".repeat(74_000)} IN TLSA 3 1 1 ab`),
    parentheses: dane(`${owner} 3 1 1 ${"( ) ".repeat(37_000)}ab`),
    comments: dane(`${owner} 3 1 1 (${";\n".repeat(74_000)} ab )`),
    colons: dane(`${owner} 3 1 1 ${"ab:".repeat(49_000)}`),
    "generic data": dane(`${owner.replace("TLSA", "TYPE52")} \\# 65000 ${"ab".repeat(65_000)}`),
    "wide letters": dane(`${owner} 3 1 1 ${"é".repeat(149_000)}`),
  }
  const message = "a".repeat(2_000_000)
  return [
    ...Object.entries(records).map(([name, body]) => ({
      name: `danevalidator: ${name}`,
      path: "/v1/danevalidator",
      body,
    })),
    ...["application/xml", "application/yaml", "text/csv"].map((accept) => ({
      name: `danevalidator: ampersands as ${accept}`,
      path: "/v1/danevalidator",
      body: dane(`${owner} 3 1 1 ${"&".repeat(149_000)}`),
      accept,
    })),
    ...["sha256", "sha384", "sha512", "sha1", "md5"].map((algorithm) => ({
      name: `hmac: 2 MB with ${algorithm}`,
      path: "/v1/hmac",
      body: JSON.stringify({ message, secret: "s", algorithm }),
    })),
    {
      name: "hmac: a secret of 2 MB",
      path: "/v1/hmac",
      body: JSON.stringify({ message: "", secret: message }),
    },
    {
      name: "hmac: 1 MB of é",
      path: "/v1/hmac",
      body: JSON.stringify({ message: "é".repeat(1_000_000), secret: "s" }),
    },
    ...["application/json", "application/xml", "application/yaml", "text/csv"].map((accept) => ({
      name: `loanpaymentcalculator: 50 years as ${accept}`,
      path: "/v1/loanpaymentcalculator",
      body: JSON.stringify({
        loanAmount: 999_999_999.99,
        interestRate: 99.999_999,
        loanTerm: 50,
        downpayment: 0.01,
      }),
      accept,
    })),
  ]
}

function batches(): HostileRequest[] {
  const loan = { loanAmount: 999_999_999.99, interestRate: 99.999_999, loanTerm: 50 }
  const accepts = ["application/json", "application/xml", "application/yaml", "text/csv"]
  const batch = (api: string, name: string, inputs: readonly object[], accept = "application/json") => ({
    name: `${api} batch: ${name} as ${accept}`,
    path: `/v1/${api}/batch`,
    body: JSON.stringify({ inputs }),
    accept,
  })
  return accepts.flatMap((accept) => [
    batch("loanpaymentcalculator", "200 × 50 years", Array(200).fill(loan), accept),
    batch(
      "linesorter",
      "200 × 10,000 letters of 2 lines",
      Array(200).fill({ lines: ["&".repeat(5_000), "a".repeat(5_000)] }),
      accept,
    ),
    batch("linesorter", "one of 2 MB", [{ lines: Array(20).fill("&".repeat(100_000)) }], accept),
    batch("linesorter", "200 × 2,500 empty lines", Array(200).fill({ lines: Array(2_500).fill("") }), accept),
    batch(
      "danevalidator",
      "14 × 149,000 characters",
      Array(14).fill({ record: `x ${"&".repeat(148_000)}` }),
      accept,
    ),
  ])
}

function queries(): HostileRequest[] {
  const path = "/v1/graphql"
  const query = (name: string, text: string, variables = {}) => ({
    name: `graphql: ${name}`,
    path,
    body: JSON.stringify({ query: text, variables }),
  })
  const lines = 'linesorter(input: {lines: ["b", "a"]})'
  const variable = "query($lines: [String!]!) "
  const aliases = (count: number, field: string) =>
    Array.from({ length: count }, (_, index) => `a${index}: ${field}`).join(" ")
  const schedule = "amortization_schedule { month interest_payment principal_payment remaining_balance }"
  return [
    query("one field 490 times", `{ ${lines} { ${"sorted ".repeat(490)} } }`),
    query(
      "one field with parameters 50 times",
      `{ ${'hmac(input:{message:"a",secret:"s"}){hmac} '.repeat(50)} }`,
    ),
    query(
      "unknown fields",
      `{ ${Array.from({ length: 490 }, (_, index) => `linesorterline${index}`).join(" ")} }`,
    ),
    query("one long unknown field", `{ ${"l".repeat(19_000)} }`),
    query(
      "unknown arguments",
      `{ hmac(${Array.from({ length: 1_400 }, (_, index) => `a${index}: 1`).join(" ")}) { hmac } }`,
    ),
    query(
      "unknown input fields",
      `{ hmac(input: {${Array.from({ length: 1_400 }, (_, index) => `a${index}: 1`).join(" ")}}) { hmac } }`,
    ),
    query("one input field repeated", `{ hmac(input: {${'message: "a" '.repeat(1_400)}}) { hmac } }`),
    query("a list of 9,000 numbers", `{ linesorter(input: {lines: [${"1 ".repeat(9_000)}]}) { sorted } }`),
    query("a list of 4,000 texts", `{ linesorter(input: {lines: [${'"a" '.repeat(4_000)}]}) { sorted } }`),
    query("fragments that use each other", fragments()),
    query("fragments with one field", spreads()),
    query(
      "unused variables",
      `query(${Array.from({ length: 1_500 }, (_, index) => `$v${index}: Int`).join(" ")}) { ${lines} { sorted } }`,
    ),
    query(
      "an unknown type in variables",
      `query(${Array.from({ length: 1_400 }, (_, index) => `$v${index}: Inta`).join(" ")}) { ${lines} { sorted } }`,
    ),
    query("operations", `${Array.from({ length: 1_500 }, (_, index) => `query q${index}{hmac}`).join(" ")}`),
    query("comments", `{ ${"#\n".repeat(9_900)} ${lines} { sorted } }`),
    query("introspection", introspection),
    query(
      "50 × a sort of 9,999 lines",
      `${variable}{ ${aliases(50, "linesorter(input: {lines: $lines}) { sorted }")} }`,
      { lines: Array.from({ length: 9_999 }, (_, index) => `line ${index}`) },
    ),
    query(
      "50 lists of one sort",
      `${variable}{ linesorter(input: {lines: $lines}) { ${aliases(49, "sorted")} } }`,
      { lines: Array(9_999).fill("a".repeat(20)) },
    ),
    query(
      "50 loans",
      `{ ${aliases(49, `loanpaymentcalculator(input: {loanAmount: 99999.99, interestRate: 9.9, loanTerm: 50}) { ${schedule} }`)} }`,
    ),
    query(
      "half a million lines in a variable",
      `${variable}{ linesorter(input: {lines: $lines}) { sorted } }`,
      { lines: Array(500_000).fill("a") },
    ),
    query("a million numbers in a variable", `${variable}{ linesorter(input: {lines: $lines}) { sorted } }`, {
      lines: Array(1_000_000).fill(1),
    }),
    query(
      "50 × a message of 2 MB",
      `query($message: String!) { ${aliases(50, 'hmac(input: {message: $message, secret: "s"}) { hmac }')} }`,
      { message: "a".repeat(2_000_000) },
    ),
    query(
      "many unknown members in a variable",
      `query($input: HmacInput!) { hmac(input: $input) { hmac } }`,
      { input: Object.fromEntries(Array.from({ length: 100_000 }, (_, index) => [`k${index}`, 1])) },
    ),
    query(
      "many variables",
      `query { ${lines} { sorted } }`,
      Object.fromEntries(Array.from({ length: 150_000 }, (_, index) => [`k${index}`, 1])),
    ),
    query(
      "a long domain",
      `query($domain: String!) { spfvalidator(input: {domain: $domain, ip: $domain}) { host } }`,
      { domain: "1.".repeat(900_000) },
    ),
  ]
}

/** Each fragment spreads the next one twice. */
function fragments(): string {
  const texts = Array.from(
    { length: 200 },
    (_, index) => `fragment f${index} on Query { ...f${index + 1} ...f${index + 1} }`,
  )
  return `{ ...f0 } ${texts.join(" ")} fragment f200 on Query { linesorter(input: {lines: ["a"]}) { sorted } }`
}

/** Validation compares the fields of each pair of fragments. */
function spreads(): string {
  const names = Array.from({ length: 240 }, (_, index) => `f${index}`)
  return `{ ${names.map((name) => `...${name}`).join(" ")} } ${names.map((name) => `fragment ${name} on Query{__typename}`).join(" ")}`
}

const introspection =
  "{ __schema { types { name description fields { name args { name type { name ofType { name } } } type { name ofType { name } } } } } }"
