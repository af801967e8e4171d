/**
 * Work that nobody awaits handles its failures: a rejection that nobody handles ends the process. `void` stands before a call
 * that cannot reject, and the linter finds the calls that are neither awaited nor handled nor behind a `void` (biome.json). In a
 * browser a rejection is a line in its console, so pages are left out. The last call of `main.ts` ends the process in any case.
 */
import { expect, test } from "bun:test"
import { join } from "node:path"

const root = join(import.meta.dir, "..")
const sources = [...new Bun.Glob("src/**/*.{ts,tsx}").scanSync(root)].filter(
  (file) => !/\.test\.tsx?$|^src\/web\//.test(file),
)
const texts = new Map(
  await Promise.all(sources.map(async (file) => [file, await Bun.file(join(root, file)).text()] as const)),
)

/** Promises that are only resolved. The functions after them run like those of a timer. */
const onlyResolved =
  /^(?:\w*timer\.turn\(\)|paused\.promise|worker\.exited|stopRequested\(\)|calls\.ended\(\)|cutOff\?|drainEnds\?|old\.stop\(leaveMs\))$/i
/** Awaits that cannot fail: of nothing, of those, of a server of the runtime that stops, and of what has a catch. */
const harmlessAwait =
  /\bawait (?:undefined|(?:\w*timer\.)?turn\(\)|server\.stop\(\)|[\w.?]+\([^()]*\)\.catch\([^()]*\))/gi

/** The place after the bracket that closes the one at `at`. */
function closing(text: string, at: number): number {
  let depth = 0
  for (let place = at; place < text.length; place++) {
    if ("({[".includes(text[place] ?? "")) depth++
    if (")}]".includes(text[place] ?? "") && --depth === 0) return place + 1
  }
  throw new Error("a bracket is not closed")
}

/** The links of the chain that begins at a place, such as `run(one)` and `then(next)`. */
function chainAt(text: string, start: number): readonly string[] {
  const links: string[] = []
  for (let at = start; ; ) {
    const name = /^\s*[.?]*[\w?]+(?:\.[\w?]+)*(?=\(|\.|$)/.exec(text.slice(at, at + 200))?.[0]
    const open = name === undefined ? 0 : at + name.length
    if (name === undefined || text[open] !== "(") return links
    const end = closing(text, open)
    links.push(text.slice(at, end).trim())
    at = end
    if (!/^\s*[.?]/.test(text.slice(at, at + 40))) return links
  }
}

interface Unawaited {
  readonly file: string
  /** The head of the chain, such as `timer.turn()`. */
  readonly head: string
  readonly rest: readonly string[]
}

function unawaitedIn(file: string, text: string): readonly Unawaited[] {
  const found = text.matchAll(/(?:^\s*|[;{)]\s*|=> |\belse )void (?=[\w.?]+\()/gm)
  return [...found].flatMap(({ index, 0: { length } }) => {
    const [first = "", ...rest] = chainAt(text, index + length)
    // `paused.promise.then(cancel)`: the promise itself is the head.
    const property = /^(.+)\.then(\([\s\S]*)$/.exec(first.slice(0, first.indexOf("(") + 1))
    if (property) return [{ file, head: property[1] ?? "", rest: [first.slice((property[1] ?? "").length)] }]
    // A type such as `stop(): void` has no call after it.
    return first === "" ? [] : [{ file, head: first, rest }]
  })
}

/**
 * The bodies of the functions of a name: of one in the file of the call that is `async`, or else of those whose comment says that
 * they never reject.
 */
function bodiesOf(file: string, name: string): readonly string[] {
  const said = new RegExp(
    String.raw`never rejects(?:(?!\*/)[\s\S])*\*/\s*(?:export )?(?:async )?(?:function |const )?${name}\b`,
    "i",
  )
  const declared = new RegExp(
    String.raw`(?:function ${name}\(|\basync ${name}\(|\bconst ${name} = |\b${name}: \(\) => )`,
  )
  const own = texts.get(file) ?? ""
  const at = new RegExp(String.raw`\basync function ${name}\(`).exec(own)?.index
  if (at !== undefined) return [bodyAt(own, at)]
  const saying = [...texts].filter(([, text]) => said.test(text))
  const inFile = saying.filter(([one]) => one === file)
  return (inFile.length > 0 ? inFile : saying).flatMap(([, text]) => {
    const found = declared.exec(text)?.index
    return found === undefined ? [] : [bodyAt(text, found)]
  })
}

/** The body of the function that is declared at a place. */
function bodyAt(text: string, at: number): string {
  const parameters = closing(text, text.indexOf("(", at))
  const arrow = /^ =>\s+(?!\{)/.exec(text.slice(parameters, parameters + 40))?.[0]
  if (arrow !== undefined) return chainAt(text, parameters + arrow.length).join("")
  const open = text.indexOf("{", parameters)
  return text.slice(open, closing(text, open))
}

/** The code that is not in a `try` with a `catch`. */
function withoutTries(body: string): string {
  const at = body.search(/\btry \{/)
  if (at < 0) return body
  const end = closing(body, body.indexOf("{", at))
  const isCaught = /^\s*catch\b/.test(body.slice(end))
  return body.slice(0, at) + (isCaught ? "" : body.slice(at + 5, end)) + withoutTries(body.slice(end))
}

function mayReject({ file, head, rest }: Unawaited): boolean {
  const last = rest.at(-1)
  if (last?.startsWith(".catch(") || /^\.then\([\s\S]*,\s*\(\w*\) =>[\s\S]*\)$/.test(last ?? "")) return false
  if (rest.some((link) => /^\.then\(\s*async\b/.test(link))) return true
  if (onlyResolved.test(head)) return false
  const name = /(\w+)\([\s\S]*\)$/.exec(head)?.[1] ?? ""
  if (new RegExp(`@param ${name} never rejects`).test(texts.get(file) ?? "")) return false
  const bodies = bodiesOf(file, name)
  const fails = (body: string) => /\b(?:await|throw)\b/.test(withoutTries(body).replace(harmlessAwait, ""))
  return bodies.length === 0 || bodies.some(fails)
}

test("what stands behind `void` cannot reject", () => {
  const unawaited = [...texts].flatMap(([file, text]) => unawaitedIn(file, text))
  expect(unawaited.length).toBeGreaterThan(25)
  expect(unawaited.filter(mayReject)).toEqual([])
})

test("the search finds calls that may reject", () => {
  const found = (text: string) => unawaitedIn("one.ts", text).map(mayReject)
  expect(found("  void unknown()\n")).toEqual([true])
  expect(found("  if (a) void unknown(b, (c) => d(c))\n")).toEqual([true])
  expect(found("  onRaised: (id) => void tell(id),\n")).toEqual([true])
  expect(found("  void timer.turn().then(async () => work())\n")).toEqual([true])
  expect(found("  void timer.turn().then(work)\n")).toEqual([false])
  expect(found("  void unknown().catch(log)\n")).toEqual([false])
  expect(found("  void unknown().then(use, (cause) => log(cause))\n")).toEqual([false])
  expect(found("  stop(): void\n  run(): Promise<void>\n")).toEqual([])
  expect(withoutTries("{ try { await a() } catch { b() } finally { c() } }")).not.toContain("await")
  expect(withoutTries("{ try { await a() } finally { c() } }")).toContain("await")
})
