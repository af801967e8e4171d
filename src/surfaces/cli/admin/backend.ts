import type { Mistake } from "../../../admin/fault.ts"
import type { Operation } from "../../../admin/operation.ts"
import type { FileContent } from "../../../values/file-content.ts"

/** The values of an input or an answer, by name. */
export type Values = Readonly<Record<string, unknown>>

/** Carries out operations, in this process on a store or on a running service. */
export interface Backend {
  /**
   * Returns the answer as JSON values.
   * @param idempotencyKey for a change that may be sent again, also by a later command
   */
  run(operation: Operation, input: Values, idempotencyKey?: string): Promise<unknown>
  /** Opens the file that an operation sends. Close it when done. */
  open(operation: Operation, input: Values): Promise<FileContent>
  close(): Promise<void>
}

/** Works on a running service, which can also be watched. */
export interface RemoteBackend extends Backend {
  /**
   * Yields the events of an operation that watches, until `stop` ends it.
   * @throws ServerFailed when the service ends it
   */
  watch(operation: Operation, input: Values, stop: AbortSignal): AsyncIterable<Watched>
}

/** An event, or the number of events that were left out. */
export type Watched = { readonly event: unknown } | { readonly lost: number }

/** The service did not answer, or not with its admin API. The message says what to change. */
export class ServerFailed extends Error {
  override readonly name = "ServerFailed"
  /** Every mistake of a list; empty for other refusals. */
  readonly mistakes: readonly Mistake[]
  /** The parameter whose value the service refuses as invalid; null for any other reason. */
  readonly refusedParameter: string | null

  constructor(message: string, mistakes: readonly Mistake[] = [], refusedParameter: string | null = null) {
    super(message)
    this.mistakes = mistakes
    this.refusedParameter = refusedParameter
  }
}

/** The user declined a change that cannot be undone. */
export class Declined extends Error {
  override readonly name = "Declined"
}
