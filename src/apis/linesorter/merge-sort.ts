import { createStepMeter, type Steps } from "./steps.ts"

/** A line and the keys by which it is compared: `rank` first, where there is one. */
export type KeyedLine = { readonly line: string; readonly key: string; readonly rank?: string | undefined }

type Compare = (a: KeyedLine, b: KeyedLine) => number
type Run = readonly KeyedLine[]

/** Lines with this many UTF-16 units in all are sorted in one step; the slowest take 6 ms. */
const unitsOfRun = 1_000

/** Sorts in short steps, which `Array.sort` cannot. Equal lines keep their order. */
export function* mergeSort(lines: Run, compare: Compare): Steps<Run> {
  // One for all merges: many short ones would be a long step.
  const isOver = createStepMeter()
  let runs = yield* sortRuns(lines, compare)
  while (runs.length > 1) {
    const longer: Run[] = []
    for (let index = 0; index < runs.length; index += 2) {
      longer.push(yield* merge(runs[index] ?? [], runs[index + 1] ?? [], compare, isOver))
    }
    runs = longer
  }
  return runs[0] ?? []
}

/** Divides the lines into short runs, each sorted. */
function* sortRuns(lines: Run, compare: Compare): Steps<Run[]> {
  const runs: Run[] = []
  let start = 0
  let units = 0
  for (const [index, { key }] of lines.entries()) {
    units += key.length + 1
    if (units < unitsOfRun) continue
    runs.push(lines.slice(start, index + 1).sort(compare))
    start = index + 1
    units = 0
    yield
  }
  return [...runs, lines.slice(start).sort(compare)]
}

function* merge(left: Run, right: Run, compare: Compare, isOver: (length: number) => boolean): Steps<Run> {
  const merged: KeyedLine[] = []
  let [leftAt, rightAt] = [0, 0]
  let [a, b] = [left[0], right[0]]
  while (a && b) {
    if (compare(a, b) <= 0) {
      merged.push(a)
      a = left[++leftAt]
    } else {
      merged.push(b)
      b = right[++rightAt]
    }
    if (isOver(merged.at(-1)?.key.length ?? 0)) yield
  }
  return merged.concat(left.slice(leftAt), right.slice(rightAt))
}
