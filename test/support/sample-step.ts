import { join } from "node:path"
import type { SchemaStep } from "../../src/store/schema-step.ts"

/** The page that shows how a column is added. */
export const columnPage = await Bun.file(join(import.meta.dir, "../../docs/adding-a-column.md")).text()

/**
 * The step that the page shows, an object whose values are literals. Its column has another name, so that the tests of the step
 * pass in a program to which someone has added the column of the page.
 */
export const sampleStep: SchemaStep = readStep(
  (/```ts\n(.*?)```/s.exec(columnPage)?.[1] ?? "").replaceAll("note", "trial"),
)

/** The same step with a column for the table that charges change. */
export const stepOfLedger: SchemaStep = {
  ...sampleStep,
  change: `${sampleStep.change}; ALTER TABLE ledger ADD COLUMN trial text`,
}

function readStep(text: string): SchemaStep {
  return Function(`"use strict"; return (${text})`)()
}
