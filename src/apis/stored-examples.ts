import type { Example } from "./contract.ts"

/** A file `examples.json` beside an API. Readers find in `about` which examples it has, and where their data is from. */
interface StoredExamples {
  /** The world of all examples but those that have one of their own, or null for none. */
  readonly given?: object
  readonly examples: readonly (Omit<Example, "given"> & { readonly given?: object | null })[]
}

/**
 * The examples of a file. The compiler cannot hold the texts of JSON to a schema, but test/catalog.test.ts runs every example
 * and compares the whole answer.
 * @param dates fields that each answer has from the lists that the API uses
 */
export function storedExamples(
  { given, examples }: StoredExamples,
  dates: Readonly<Record<string, string | null>> = {},
): readonly Example<never, never>[] {
  return examples.map(({ given: own = given, input, output, ...rest }) => ({
    ...rest,
    // No text of the file has the type of a certain API, so that the list fits each.
    ...{ input: input as never, output: { ...output, ...dates } as never },
    ...(own ? { given: own as NonNullable<Example["given"]> } : {}),
  }))
}
