import { join } from "node:path"
import type { SchemaStep } from "../../src/store/schema-step.ts"

/** The page that shows how a column is added. */
export const columnPage = await Bun.file(join(import.meta.dir, "../../docs/adding-a-column.md")).text()

/** The step that the page shows: an object whose values are literals. */
export const sampleStep: SchemaStep = readStep(/```ts\n(.*?)```/s.exec(columnPage)?.[1] ?? "")

/** The same step with a column for the table that charges change. */
export const stepOfLedger: SchemaStep = {
  ...sampleStep,
  change: `${sampleStep.change}; ALTER TABLE ledger ADD COLUMN note text`,
}

function readStep(text: string): SchemaStep {
  return Function(`"use strict"; return (${text})`)()
}
