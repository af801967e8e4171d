import { type RunContext, reject } from "../../../src/apis/contract.ts"

/** Does what its text says. Each is what a library may do with a bad input. */
export function run({ what }: Readonly<Record<string, unknown>>, { premium, ports }: RunContext) {
  const work = works[String(what)]
  return { done: work ? work() : `${what} ${premium} ${ports.clock.now()}` }
}

const kept: unknown[] = []

const works: Readonly<Record<string, () => string>> = {
  loop() {
    for (;;);
  },
  // The runtime's own expressions give up; this is one that does not.
  backtrack: () => String(backtracks("a".repeat(60))),
  // One native call of some seconds, which nothing can stop: each place begins a match that goes on to the end.
  search: () => String("ab".repeat(40_000).search(/[ab]+c/)),
  allocate() {
    for (;;) kept.push(new Uint8Array(1 << 22).fill(1))
  },
  keep() {
    const bytes = new Uint8Array(80 << 20)
    // Such a run takes longer than the 5 ms after which a thread collects its garbage.
    for (let index = 0; index < bytes.length; index += 16) bytes[index] = 1
    kept.push(bytes)
    return `the texts of ${kept.length} calls`
  },
  values: () => String(Array.from({ length: 1_500_000 }, (_, at) => ({ at })).length),
  heap: () => String(process.memoryUsage().heapTotal),
  deep() {
    const nest = (depth: number): number => 1 + nest(depth + 1)
    return String(nest(0))
  },
  long: () => "x".repeat(2_000_000),
  refuse: () => reject("what", "must be something else"),
  fail() {
    throw new TypeError("a fault")
  },
}

/** Matches (a+)+b as a simple matcher does: in a time that doubles with each letter. */
function backtracks(text: string, from = 0): boolean {
  for (let end = from + 1; end <= text.length; end++)
    if (text[end] === "b" || backtracks(text, end)) return true
  return false
}
