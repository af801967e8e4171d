import type { Example } from "./contract.ts"

/** A file `examples.json` next to an API. Readers find in `about` which examples it has, and where their data is from. */
interface StoredExamples {
  readonly about?: string
  /** The world of all examples but those that have one of their own, or null for none. */
  readonly given?: object
  readonly examples: readonly StoredExample[]
}

interface StoredExample extends Omit<Example, "given" | "output"> {
  readonly given?: object | null
  /** The standard that gives the answer, which is then written here by hand. */
  readonly source?: string
  readonly output?: object
}

/**
 * The examples of an API. `bun run generate` computes their answers into `answers.json`, by the names of the examples.
 * test/catalog.test.ts runs every example and compares the whole answer.
 */
export function storedExamples(
  { given, examples }: StoredExamples,
  answers: Readonly<Record<string, object>>,
): readonly Example<never, never>[] {
  return examples.map(({ given: own = given, input, output, source, ...rest }) => ({
    ...rest,
    // A new example has no answer until it is computed. No text of the file has the type of a certain API.
    ...{ input: input as never, output: ((source && output) ?? answers[rest.name] ?? {}) as never },
    ...(own ? { given: own as NonNullable<Example["given"]> } : {}),
  }))
}
