import { type } from "node:os"
import { join } from "node:path"
import type { TObject } from "@sinclair/typebox"
import fc from "fast-check"
import { type ApiDefinition, InputRejected, type Ports } from "../../src/apis/contract.ts"
import { compileInput } from "../../src/call/input.ts"
import { portsFor } from "../../test/support/zone-ports.ts"

/** An independent implementation, and how its answers compare with those of one API. */
export interface Oracle<Case = unknown, Answer = unknown> {
  /** The API. */
  readonly api: string
  /** The implementation, as docs/correctness.md names it. */
  readonly against: string
  /** How many cases are generated at least. */
  readonly cases: number
  readonly generate: fc.Arbitrary<Case>
  /** Cases that are always tried, besides the generated ones. */
  readonly fixed?: readonly Case[]
  /**
   * The version of the implementation.
   * @param suites the folder of public suites, for one that reads a file of theirs
   * @throws MissingTool when it is not on this machine
   */
  version(suites: string): Promise<string>
  ours(test: Case): Promise<Answer>
  theirs(tests: readonly Case[], suites: string): Promise<readonly Answer[]>
  /** Why an answer may differ: the first judgement that fits. A difference that none explains is a failure. */
  readonly known: readonly Judgement<Case, Answer>[]
}

export interface Judgement<Case, Answer> {
  /** One sentence that says who is right and why. */
  readonly reason: string
  fits(test: Case, ours: Answer, theirs: Answer): boolean
}

/** Keeps the types of one oracle together. The runner compares any answers as JSON. */
export const defineOracle = <Case, Answer>(oracle: Oracle<Case, Answer>): Oracle =>
  oracle as unknown as Oracle

/** A public suite of tests that is too large for this repository. */
export interface Suite {
  readonly api: string
  /** As docs/correctness.md names it, and the name of its folder. */
  readonly name: string
  /** The command that makes its folder. */
  readonly get: string
  /** Runs its tests. */
  run(folder: string): Promise<readonly Result[]>
}

/** The comparison of one answer. */
export interface Result {
  readonly test: string
  readonly isRight: boolean
  /** Why the answer is another one: one sentence that says who is right. Without it the difference is a failure. */
  readonly reason?: string | undefined
}

/** A program or module that is not on this machine. This is an error, since nothing was compared. */
export class MissingTool extends Error {
  override readonly name = "MissingTool"
  constructor(tool: string, install: string) {
    super(`${tool} is missing: ${install}`)
  }
}

/** An API's answer: its data, or null if it refuses the input. */
export const ask = <Output extends TObject>(
  api: ApiDefinition<TObject, Output>,
  values: Record<string, unknown>,
  ports: Ports = portsFor({}),
) =>
  unlessRefused(async () => {
    const input = compileInput(api.input)({ kind: "typed", values })
    const prepared = (await api.isolated?.prepare?.(input)) ?? input
    return api.run(prepared, { ports, giveWay() {}, premium: true })
  })

/** The result of some work, or null if it refuses its input. */
export async function unlessRefused<T>(work: () => T | Promise<T>): Promise<T | null> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof InputRejected) return null
    throw error
  }
}

/** Answers in the order of the tests, of which some are worked on at once. */
export async function answersTo<Case, Answer>(
  tests: readonly Case[],
  work: (test: Case) => Promise<Answer>,
  atOnce = 4,
): Promise<Answer[]> {
  const answers: Answer[] = []
  for (let start = 0; start < tests.length; start += atOnce)
    answers.push(...(await Promise.all(tests.slice(start, start + atOnce).map(work))))
  return answers
}

/** Texts with one character put in, taken out or replaced, by one of `others` or by nothing. */
export const damaged = (texts: fc.Arbitrary<string>, others: string): fc.Arbitrary<string> =>
  fc
    .tuple(texts, fc.nat(), fc.constantFrom(...others, ""), fc.boolean())
    .map(([text, at, other, replaces]) => {
      const place = at % (text.length + 1)
      return text.slice(0, place) + other + text.slice(place + (replaces ? 1 : 0))
    })

/** Texts of so many digits. */
export const digits = (minLength: number, maxLength = minLength): fc.Arbitrary<string> =>
  fc.string({ unit: fc.constantFrom(..."0123456789"), minLength, maxLength })

/** Debian's Python, whose modules `apt-get` installs. */
const python = "/usr/bin/python3"

/** An implementation in Python: `theirs` of scripts/oracles/SCRIPT, with the version of the package of Debian that it imports. */
export const byPython = (script: string, debianPackage: string) => ({
  version: () => debianVersion(debianPackage),
  theirs: <Answer>(cases: readonly unknown[]) => askPython<Answer>(script, cases, debianPackage),
})

/**
 * Lets scripts/oracles/SCRIPT answer: it gets `cases` as JSON on standard input and writes as many answers.
 * @throws MissingTool naming Debian's package when the script cannot import a module
 */
export async function askPython<Answer>(
  script: string,
  cases: readonly unknown[],
  debianPackage: string,
): Promise<Answer[]> {
  const install = `apt-get install ${debianPackage}`
  if (!(await Bun.file(python).exists())) throw new MissingTool(`${python} (on ${type()})`, install)
  const { code, out, err } = await run([python, "-B", join(import.meta.dir, script)], JSON.stringify(cases))
  if (/ModuleNotFoundError|ImportError/.test(err)) throw new MissingTool(debianPackage, install)
  if (code !== 0) throw new Error(`${script} failed:\n${err}`)
  const answers = JSON.parse(out)
  if (answers.length !== cases.length) throw new Error(`${script} gave ${answers.length} answers`)
  return answers
}

/** The version of a package that Debian's package manager installed. */
export async function debianVersion(debianPackage: string): Promise<string> {
  const missing = new MissingTool(debianPackage, `apt-get install ${debianPackage}`)
  if (Bun.which("dpkg-query") === null) throw missing
  // biome-ignore lint/suspicious/noTemplateCurlyInString: the format of dpkg-query
  const { code, out } = await run(["dpkg-query", "-W", "-f=${Version}", debianPackage], "")
  if (code !== 0 || out === "") throw missing
  return out
}

/** Runs a program to its end. Python gets a fixed seed for its sets, so that its answers depend on the cases alone. */
export async function run(command: string[], input: string | Uint8Array) {
  const env = { ...process.env, PYTHONHASHSEED: "0" }
  const child = Bun.spawn(command, { env, stdin: new Blob([input]), stdout: "pipe", stderr: "pipe" })
  const [out, err, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
  return { code, out, err }
}

/** Asks a DNS server on loopback with dig. Returns the lines of its answers: owner, TTL, class, type and data. */
export async function dig(
  port: number,
  questions: readonly string[],
  ...more: readonly string[]
): Promise<string[]> {
  const options = ["+noall", "+answer", "+norecurse", "+tries=1", "+time=5", ...more]
  const command = ["dig", "@127.0.0.1", "-p", String(port), ...options, "-f", "/dev/stdin"]
  return (await run(command, questions.join("\n"))).out.split("\n")
}
