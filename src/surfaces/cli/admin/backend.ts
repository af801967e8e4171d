import type { Operation } from "../../../admin/operation.ts"

/** Carries out operations, in this process on a store or on a running service. */
export interface Backend {
  /** Gives the answer as JSON has it. */
  run(operation: Operation, input: Readonly<Record<string, unknown>>): Promise<unknown>
  close(): Promise<void>
}

/** Works on a running service, which also shows what happens. */
export interface RemoteBackend extends Backend {
  /**
   * Gives what happens while an operation watches, until `stop` ends it.
   * @throws ServerFailed when the service ends it
   */
  watch(
    operation: Operation,
    input: Readonly<Record<string, unknown>>,
    stop: AbortSignal,
  ): AsyncIterable<WatchedBatch>
}

/** What happened since the last one. */
export interface WatchedBatch {
  readonly events: readonly unknown[]
  /** How many more there were, which are left out. */
  readonly lost: number
}
