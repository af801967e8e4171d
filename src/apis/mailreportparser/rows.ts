/** The most characters of a text in an answer. */
export const maxText = 500
/** So that an answer stays below the most characters that a thread may answer. */
const maxRowCharacters = 600_000
const maxRows = 2_000

/** The rows of a report, of which the first 2,000, and 600,000 characters as JSON, are kept. */
export class Rows<Row> {
  readonly #kept: Row[] = []
  #characters = 0
  #isFull = false
  count = 0

  add(row: Row): void {
    this.count++
    if (!this.#isFull) this.#characters += JSON.stringify(row).length
    this.#isFull ||= this.#kept.length === maxRows || this.#characters > maxRowCharacters
    if (!this.#isFull) this.#kept.push(row)
  }

  list() {
    return { list: this.#kept, leftOut: this.count - this.#kept.length }
  }
}

/** Messages or sessions, over all rows of a report. */
export class Totals {
  count = 0
  passed = 0
  quarantined = 0
  rejected = 0

  add(count: number, isPassed: boolean, disposition: string | null = null): void {
    this.count += count
    if (isPassed) this.passed += count
    if (disposition === "quarantine") this.quarantined += count
    if (disposition === "reject") this.rejected += count
  }

  /** @param rows how many rows were counted */
  list(rows: number) {
    const { count, passed, quarantined, rejected } = this
    return { rows, count, passed, failed: count - passed, quarantined, rejected }
  }
}
