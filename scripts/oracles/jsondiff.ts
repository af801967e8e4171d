import fc from "fast-check"
import { InputRejected } from "../../src/apis/contract.ts"
import { run } from "../../src/apis/jsondiff/run.ts"
import { runIsolated } from "../../test/support/run-isolated.ts"
import { askPython, debianVersion, defineOracle } from "./oracle.ts"

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
type Applied = { readonly result: unknown } | { readonly crash: string } | null

/** Each is null where the case is of the other kind. */
interface Answer {
  /** Our patch for two documents, applied by the other. */
  readonly ours: Applied
  /** Its patch for them, applied by us. */
  readonly theirs: Applied
  /** Any patch, applied by each. */
  readonly any: Applied
}

/** Its patch for two documents, and what comes out where it applies that itself. */
type Made = { readonly patch: readonly Operation[]; readonly applied: Applied } | { readonly crash: string }

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
  fc.infiniteStream(fc.tuple(fc.nat(9), document)).map((changes) => ({
    from,
    to: change(from, () => changes.next().value),
  })),
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

async function applyHere(from: unknown, patch: unknown): Promise<Applied> {
  try {
    const { is_valid, result } = await runIsolated(run, { from, patch })
    return is_valid ? { result } : null
  } catch (thrown) {
    if (thrown instanceof InputRejected) return null
    throw thrown
  }
}

const madeByThem = new Map<Case, Made>()
/** Its answers to patches with its pointers mended, and the document as a member of another: no operation is about a root. */
const answersWhenMended = new Map<Case, Applied>()

function has({ patch }: Case, fits: (path: string, operation: Operation) => boolean): boolean {
  return patch?.some((one) => fits(one.path, one) || fits(one.from, one)) ?? false
}

/** Whether ours is the answer of the mended library. */
function isMended(test: Case, ours: Applied): boolean {
  return test.patch !== null && Bun.deepEquals(ours, answersWhenMended.get(test))
}

/** Whether our patch for two documents led to the second one there, so that theirs alone makes the difference. */
function tookOurPatch({ to }: Case, { ours }: Answer): boolean {
  return Bun.deepEquals(ours, { result: to })
}

/** Whether a pointer has a step after that to a text. */
function leadsIntoText(document: unknown, pointer: string): boolean {
  let value = document
  for (const step of pointer.split("/").slice(1)) {
    if (typeof value === "string") return true
    if (typeof value !== "object" || value === null) return false
    value = Reflect.get(value, step.replaceAll("~1", "/").replaceAll("~0", "~"))
  }
  return false
}

async function compareHere(test: Case): Promise<Answer> {
  const made = madeByThem.get(test)
  const wanted = { result: test.to }
  const theirs = made && "patch" in made ? await applyHere(test.from, made.patch) : wanted
  return { ours: wanted, theirs, any: null }
}

export const oracle = defineOracle<Case, Answer>({
  api: "jsondiff",
  against: "python3-jsonpatch",
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
    return test.patch === null
      ? await compareHere(test)
      : { ours: null, theirs: null, any: await applyHere(test.from, test.patch) }
  },
  async theirs(tests) {
    const made = tests.map(async ({ from, to }) => (await runIsolated(run, { from, to })).patch)
    const patches = await Promise.all(made)
    const cases = tests.map((test, index) => ({ ...test, made: patches[index] }))
    const answers = await askPython<{ made?: Made; ours?: Applied; any?: Applied; mended?: Applied }>(
      "jsondiff.py",
      cases,
      "python3-jsonpatch",
    )
    return answers.map(({ made, ours = null, any = null, mended = null }, index) => {
      const test = tests[index]
      if (test?.patch) answersWhenMended.set(test, mended)
      if (!test || !made) return { ours: null, theirs: null, any }
      madeByThem.set(test, made)
      return { ours, theirs: "crash" in made ? made : { result: test.to }, any: null }
    })
  },
  known: [
    {
      reason:
        "it takes indexes with zeros before them, such as 01, which RFC 6901 4 does not allow; without them its answer is ours",
      fits: (test, { any }) => isMended(test, any) && has(test, (path) => /\/0[01]/.test(path)),
    },
    {
      reason:
        "it takes a character out of a text by its index; RFC 6901 4 has indexes for lists alone, and with them its answer is ours",
      fits: (test, { any }, their) =>
        isMended(test, any) &&
        their.any !== null &&
        "result" in their.any &&
        has(test, (path) => leadsIntoText(test.from, path)),
    },
    {
      reason:
        "operations about the whole document, and on a text or the place after a list: it ends with an error of Python, or refuses to copy or move the first; inside another document its answer is ours",
      fits: (test, ours, { any }) => isMended(test, ours.any) && (any === null || "crash" in any),
    },
    {
      reason: "it moves values into themselves, which RFC 6902 4.4 forbids, also in its own patches",
      fits(test, { any, theirs }, their) {
        const made = madeByThem.get(test)
        const patch = test.patch ?? (made && "patch" in made ? made.patch : [])
        const isInside = ({ op, from, path }: Operation) => op === "move" && path.startsWith(`${from}/`)
        const isExplained = test.patch === null ? tookOurPatch(test, their) : isMended(test, any)
        return theirs === null && patch.some(isInside) && isExplained
      },
    },
    {
      reason: "it fails to compare the documents",
      fits: (test, _ours, their) =>
        tookOurPatch(test, their) && their.theirs !== null && "crash" in their.theirs,
    },
    {
      reason: "its patch does not lead to the second document where it applies that itself",
      fits(test, _ours, their) {
        const made = madeByThem.get(test)
        return (
          tookOurPatch(test, their) &&
          made !== undefined &&
          "patch" in made &&
          !Bun.deepEquals(made.applied, { result: test.to })
        )
      },
    },
  ],
})
