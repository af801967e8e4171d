import { expect, test } from "bun:test"
import { mergeSort } from "./line-order.ts"

test.each([
  ["many short lines", 10_000, 1],
  ["many lines of 72 units", 10_000, 72],
  ["few long lines", 12, 100_000],
])("no step of sorting compares much, whatever the lines are: %s", (_, count, length) => {
  const lines = Array.from({ length: count }, (_, index) => {
    const line = String((index * 7_919) % count).padStart(length)
    return { line, key: line }
  })
  let units = 0
  const steps = mergeSort(lines, (a, b) => {
    units += a.key.length + 16
    return Number(a.key) - Number(b.key)
  })
  let most = 0
  for (;;) {
    units = 0
    const { done, value } = steps.next()
    most = Math.max(most, units)
    if (!done) continue
    expect(value.map(({ key }) => Number(key))).toEqual(Array.from({ length: count }, (_, index) => index))
    break
  }
  // At least one comparison, which nothing interrupts.
  expect(most).toBeLessThan(2 * (length + 16) + 200_000)
})
