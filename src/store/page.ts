/**
 * A place in a list. `after` holds the sort columns of the last row of the page before, with a row's id as the last of them;
 * null starts at the beginning.
 */
export interface Page {
  readonly limit: number
  readonly after: readonly (string | number)[] | null
}
