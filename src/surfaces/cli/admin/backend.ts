import type { Operation } from "../../../admin/operation.ts"

/** Carries out operations, in this process on a store or on a running service. */
export interface Backend {
  /** Gives the answer as JSON has it. */
  run(operation: Operation, input: Readonly<Record<string, unknown>>): Promise<unknown>
  close(): Promise<void>
}
