import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import fc from "fast-check"
import type * as library from "jsonpath-rfc9535"
import packageJson from "../../package.json" with { type: "json" }
import { jsonpath } from "../../src/apis/jsonpath/index.ts"
import { run } from "../../src/apis/jsonpath/run.ts"
import { ask, damaged, defineOracle, type Judgement } from "./oracle.ts"

type Json = Parameters<typeof library.query>[0]
type Case = readonly [document: Json, path: string]
/** The normalized path and the value of each node; null if the path is refused. */
type Answer = readonly (readonly [path: string, value: unknown])[] | null

const names = ["a", "b", "c", "é", "😀", "a b", "'", '"', "\\", "/", "\n", "\u0001", "0", "true", ""]
const scalar = fc.constantFrom<Json>(
  ...[null, true, false, 0, 1, -1, 2, 1.5, 1e100, "", "a", "b", "abc", "é", "😀", "1"],
)
const { document } = fc.letrec<{ document: Json }>((tie) => ({
  document: fc.oneof(
    { depthSize: "small", maxDepth: 4 },
    scalar,
    fc.array(tie("document"), { maxLength: 5 }),
    fc.dictionary(fc.constantFrom(...names), tie("document"), { maxKeys: 5, noNullPrototype: true }),
  ),
}))

const quoted = fc.constantFrom(...names).chain((name) => {
  const inDouble = JSON.stringify(name)
  const inSingle = `'${inDouble.slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`
  const escaped = `"${[...name].map((one) => [...one].map(toEscape).join("")).join("")}"`
  return fc.constantFrom(inDouble, inSingle, escaped)
})

const toEscape = (character: string): string =>
  Array.from({ length: character.length }, (_, at) => character.charCodeAt(at))
    .map((code) => `\\u${code.toString(16).padStart(4, "0")}`)
    .join("")

const shorthand = fc.constantFrom("a", "b", "c", "é", "😀", "true", "length")
const index = fc.integer({ min: -4, max: 4 })
const blank = fc.constantFrom("", "", "", " ", "\n", "\t ")
const part = fc.oneof(index.map(String), fc.constant(""))
const slice = fc
  .tuple(part, blank, part, blank, part)
  .map(([from, one, to, other, step]) => `${from}${one}:${other}${to}${step && `:${step}`}`)
const literal = fc.oneof(
  fc.constantFrom(..."null true false 0 1 -1 2 1.5 1.0 1e0 10E1 -0 0.1e1 15e-1 0.5 -0.25 0e5".split(" ")),
  quoted,
)
const pattern = fc.constantFrom(
  ..."'a' 'a.*' '[a-c]+' '.' '^a$' '\\\\d' '(a|é)?b*' '\\\\p{L}+' '[' @.a '.b.'".split(" "),
)

const tied = fc.letrec<
  Record<"selector" | "segment" | "query" | "singular" | "comparable" | "test" | "logical", string>
>((tie) => ({
  selector: fc.oneof(
    { depthSize: "small", maxDepth: 5 },
    quoted,
    fc.constant("*"),
    index.map(String),
    slice,
    tie("logical").map((expression) => `?${expression}`),
  ),
  segment: fc.oneof(
    { depthSize: "small", maxDepth: 5 },
    shorthand.map((name) => `.${name}`),
    fc.constantFrom(".*", "..*", "..a", "..b"),
    fc
      .tuple(
        fc.constantFrom("", "", ".."),
        blank,
        fc.array(tie("selector"), { minLength: 1, maxLength: 3 }),
        blank,
      )
      .map(
        ([dots, before, selectors, after]) =>
          `${dots}[${before}${selectors.join(`${after},${before}`)}${after}]`,
      ),
  ),
  query: fc.array(tie("segment"), { maxLength: 3, size: "max" }).map((segments) => segments.join("")),
  singular: fc
    .array(
      fc.oneof(
        shorthand.map((name) => `.${name}`),
        index.map((at) => `[${at}]`),
        quoted.map((name) => `[${name}]`),
      ),
      { maxLength: 3 },
    )
    .map((segments) => segments.join("")),
  comparable: fc.oneof(
    { depthSize: "small", maxDepth: 5 },
    literal,
    tie("singular").map((rest) => `@${rest}`),
    tie("singular").map((rest) => `$${rest}`),
    tie("comparable").map((value) => `length(${value})`),
    tie("query").map((rest) => `count(@${rest})`),
    tie("query").map((rest) => `value(@${rest})`),
  ),
  test: fc.oneof(
    { depthSize: "small", maxDepth: 5 },
    tie("query").map((rest) => `@${rest}`),
    fc
      .tuple(fc.constantFrom("match", "search"), tie("comparable"), pattern)
      .map(([name, value, text]) => `${name}(${value}, ${text})`),
    fc
      .tuple(
        tie("comparable"),
        blank,
        fc.constantFrom("==", "!=", "<", "<=", ">", ">="),
        blank,
        tie("comparable"),
      )
      .map((parts) => parts.join("")),
    tie("logical").map((expression) => `(${expression})`),
    tie("logical").map((expression) => `!(${expression})`),
    tie("query").map((rest) => `!@${rest}`),
  ),
  logical: fc.oneof(
    { depthSize: "small", maxDepth: 5 },
    { weight: 4, arbitrary: tie("test") },
    {
      weight: 1,
      arbitrary: fc
        .tuple(tie("test"), blank, fc.constantFrom("&&", "||"), blank, tie("test"))
        .map((parts) => parts.join("")),
    },
  ),
}))

const path = fc.array(tied.segment, { maxLength: 4, size: "max" }).map((segments) => `$${segments.join("")}`)
const mistaken = damaged(path, " .[]'0-$@!=~#1\\é").filter((text) => text !== "")

async function ours([value, text]: Case): Promise<Answer> {
  const answer = await ask({ ...jsonpath, run }, { document: value, path: text })
  return answer?.paths.map((one, at) => [one, answer.values[at]] as const) ?? null
}

/** Lines of the library that are wrong, and what they should be. */
const mends: readonly (readonly [file: string, wrong: string, right: string])[] = [
  // A negative bound of a slice before the first item counts as the first item (RFC 9535, 2.3.4.2.2).
  [
    "core/visitors/slice-selector.js",
    "normalize(start, len);\n    const nEnd = normalize(end, len)",
    "start;\n    const nEnd = end",
  ],
  // An index in a comparison, such as ?@[0]==1 (2.3.5.1), finds no item there.
  ["parser/parser.js", '{ type: "IndexSelector", selector }', "selector"],
  // The length of nothing is nothing (2.4.4); it compares it as false.
  ["core/evaluators/function-expr.js", "!isJsonValue(value)", "!isJsonValue(value) && value !== Nothing"],
]

/** A copy of the library with these lines mended. */
async function mendLibrary(): Promise<typeof library> {
  const folder = mkdtempSync(join(tmpdir(), "jsonpath-"))
  try {
    cpSync(dirname(Bun.resolveSync("jsonpath-rfc9535", import.meta.dir)), folder, { recursive: true })
    for (const [file, wrong, right] of mends) {
      const source = readFileSync(join(folder, file), "utf8")
      if (!source.includes(wrong)) throw new Error(`${file} of jsonpath-rfc9535 lacks ${wrong}`)
      writeFileSync(join(folder, file), source.replace(wrong, right))
    }
    return await import(join(folder, "index.js"))
  } finally {
    rmSync(folder, { recursive: true })
  }
}

function theirs([value, text]: Case, { paths, query }: typeof library): Answer {
  try {
    const values = query(value, text)
    return paths(value, text).map((one, at) => [one, values[at]] as const)
  } catch {
    return null
  }
}

/** Whether a comma follows a filter in brackets that are inside of a function's parentheses. */
function hasSelectorAfterFilterInCall(text: string): boolean {
  const open: { readonly isCall: boolean; hasFilter: boolean }[] = []
  for (const [token] of text.matchAll(/'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|[a-z]\w*\(|[[\]()?,]/gs)) {
    const inner = open.at(-1)
    if (token.endsWith("(") || token === "[") open.push({ isCall: token.length > 1, hasFilter: false })
    else if (token === "]" || token === ")") open.pop()
    else if (token === "?" && inner) inner.hasFilter = true
    else if (token === "," && inner?.hasFilter && open.some(({ isCall }) => isCall)) return true
  }
  return false
}

const functions = new Set(["length", "count", "match", "search", "value"])
const sorted = (answer: Answer) => answer?.map((one) => JSON.stringify(one)).toSorted()

const known: readonly Judgement<Case, Answer>[] = [
  {
    reason:
      "a function that is not registered: RFC 9535 (2.4.3) makes the path not well-typed; it says that there are no nodes",
    fits: ([, text], our, their) =>
      our === null &&
      their !== null &&
      (text.match(/[a-z][a-z_0-9]*(?=\()/g) ?? []).some((name) => !functions.has(name)),
  },
  {
    reason:
      "a selector after a filter, in brackets inside the argument of a function, such as count(@[?@,0]): the library refuses it and is wrong",
    fits: ([, text], our, their) => our === null && their !== null && hasSelectorAfterFilterInCall(text),
  },
  {
    reason: "a function without arguments: RFC 9535 (2.4.3) makes the path not well-typed; it takes it",
    fits: ([, text], our, their) => our === null && their !== null && /[a-z]\(\s*\)/.test(text),
  },
  {
    reason:
      "a literal or a function where a function takes nodes, such as value(1): RFC 9535 (2.4.3) makes the path not well-typed; it takes it",
    fits: ([, text], our, their) =>
      our === null && their !== null && /(?:value|count)\(\s*[^@$\s]/.test(text),
  },
  {
    reason:
      "a path to several nodes where a function takes one value, such as length($..a): RFC 9535 (2.4.3) makes it not well-typed; it takes it",
    fits: ([, text], our, their) =>
      our === null && their !== null && /(?:length|match|search)\(\s*[@$].*(?:\.\.|[*?:,])/s.test(text),
  },
  {
    reason: "the order alone, which RFC 9535 leaves open where a path descends (2.5.2.2)",
    fits: ([, text], our, their) => text.includes("..") && Bun.deepEquals(sorted(our), sorted(their)),
  },
]

export const oracle = defineOracle<Case, Answer>({
  api: "jsonpath",
  against: "jsonpath-rfc9535 with three lines mended",
  cases: 6_000,
  generate: fc.tuple(document, fc.oneof({ weight: 4, arbitrary: path }, { weight: 1, arbitrary: mistaken })),
  version: async () => packageJson.devDependencies["jsonpath-rfc9535"],
  ours,
  async theirs(tests) {
    const mended = await mendLibrary()
    return tests.map((test) => theirs(test, mended))
  },
  known,
})
