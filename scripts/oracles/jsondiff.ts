import fc from "fast-check"
import { run } from "../../src/apis/jsondiff/run.ts"
import { runIsolated } from "../../test/support/run-isolated.ts"
import { askPython, debianVersion, defineOracle, unlessRefused } from "./oracle.ts"

interface Case {
  readonly from: unknown
  /** A second document to compare; not looked at where there is a patch. */
  readonly to: unknown
  /** Any operations, which may not fit; null for a comparison. */
  readonly patch: readonly Operation[] | null
}

interface Operation {
  readonly op: string
  readonly path: string
  readonly from: string
  readonly value: unknown
}

/** The result of applying a patch; null if it is refused. */
type Applied = { readonly result: unknown } | null

/** The first two for two documents, the last for a patch. */
interface Answer {
  /** Our patch, applied by the other. */
  readonly ours?: Applied
  /** Its patch, applied by us; the second document where its own patch does not lead there by itself. */
  readonly theirs?: Applied
  readonly any?: Applied
}

// Without `-`, which it does not take as the name of a member, and without 0 and 1, which are equal to false and true in Python.
const name = fc.constantFrom("", "a", "b", "c/d", "~", "0", "1")
const { document } = fc.letrec((tie) => ({
  document: fc.oneof(
    { depthSize: "small" },
    fc.constantFrom<unknown>(null, true, false, 2, 3, 2.5, -7, "", "a", "1", "Ä", "👩‍👩‍👧"),
    fc.array(tie("document"), { maxLength: 6 }),
    fc.dictionary(name, tie("document"), { maxKeys: 5, noNullPrototype: true }),
  ),
}))
/** The same document with some parts changed. */
const changed = document.chain((from) =>
  fc
    .infiniteStream(fc.tuple(fc.nat(9), document))
    .map((changes) => ({ from, to: change(from, () => changes.next().value) })),
)
const pointer = fc
  .array(fc.constantFrom("a", "b", "c~1d", "~0", "0", "1", "2", "-", "", "01"), { maxLength: 3 })
  .map((steps) => steps.map((step) => `/${step}`).join(""))
const operation = fc.record({
  op: fc.constantFrom("add", "remove", "replace", "move", "copy", "test"),
  path: pointer,
  from: pointer,
  value: document,
})

function change(value: unknown, next: () => [number, unknown]): unknown {
  const [fate, other] = next()
  if (fate === 0) return other
  if (Array.isArray(value)) {
    const items = value.flatMap((item) => (next()[0] === 0 ? [] : [change(item, next)]))
    return fate === 1 ? [other, ...items] : fate === 2 ? items.toReversed() : items
  }
  if (typeof value !== "object" || value === null) return value
  const members = Object.entries(value).flatMap(([name, inner]) =>
    next()[0] === 0 ? [] : [[name, change(inner, next)] as const],
  )
  return Object.fromEntries(fate === 1 ? [...members, ["b", other]] : members)
}

const applyHere = (from: unknown, patch: unknown): Promise<Applied> =>
  unlessRefused(async () => {
    const { is_valid, result } = await runIsolated(run, { from, patch })
    return is_valid ? { result } : null
  })

const patchesOfTheirs = new Map<Case, readonly Operation[] | null>()

export const oracle = defineOracle<Case, Answer>({
  api: "jsondiff",
  against: "python3-jsonpatch with its pointers mended",
  cases: 10_000,
  generate: fc.oneof(
    fc.oneof(changed, fc.record({ from: document, to: document })).map((both) => ({ ...both, patch: null })),
    fc.record({
      from: document,
      to: fc.constant(null),
      patch: fc.array(operation, { minLength: 1, maxLength: 4 }),
    }),
  ),
  version: () => debianVersion("python3-jsonpatch"),
  async ours(test) {
    if (test.patch) return { any: await applyHere(test.from, test.patch) }
    const patch = patchesOfTheirs.get(test)
    const wanted = { result: test.to }
    return { ours: wanted, theirs: patch ? await applyHere(test.from, patch) : wanted }
  },
  async theirs(tests) {
    const made = tests.map(async ({ from, to }) => (await runIsolated(run, { from, to })).patch)
    const patches = await Promise.all(made)
    const cases = tests.map((test, index) => ({ ...test, made: patches[index] }))
    const answers = await askPython<Answer & { made: readonly Operation[] | null }>(
      "jsondiff.py",
      cases,
      "python3-jsonpatch",
    )
    const unusable = answers.filter(({ made, any }) => made === null && any === undefined).length
    console.error(
      `jsondiff: ${unusable} patches of python3-jsonpatch do not lead to the second document by themselves`,
    )
    return answers.map(({ made, ...answer }, index) => {
      const test = tests[index]
      if (!test || test.patch) return answer
      patchesOfTheirs.set(test, made)
      return { ...answer, theirs: { result: test.to } }
    })
  },
  known: [],
})
