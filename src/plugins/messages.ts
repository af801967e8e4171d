import type { DnsAnswer, DnsReply, DnsType, ExchangeOptions, WebAnswer } from "../apis/contract.ts"
import type { Excess } from "./overrun.ts"

/** Processor times are shared in hundredths of a millisecond, so that 32 bits hold hours. */
export const ticksPerMs = 100

/** A message to the worker that holds an operator's API. It does one thing at a time. */
export type ToWorker =
  /** Asks for the definition in this file. Sent once, first. */
  | {
      readonly kind: "load"
      /** For isolated APIs: the file that names their code; empty for the catalog's file. */
      readonly file: string
      readonly isIsolated?: boolean
      /**
       * Five 32-bit numbers that the worker sets: the number of a run when it begins it; the system's id of its thread; the
       * processor time of its thread when the run came; the same when the run has its code, and again at its end; the number of
       * a run when it has its code. The service looks at them when a run may be late: a message would wake it up for each run.
       */
      readonly shared: SharedArrayBuffer
    }
  /** Asks for one run. */
  | {
      readonly kind: "run"
      /** Counts from 1. */
      readonly number: number
      /** The id of an isolated API. */
      readonly api?: string | undefined
      /** The input as JSON. */
      readonly input: string
      /** Whether the caller sees premium fields. */
      readonly premium: boolean
      /** The time at which the call began, milliseconds since the Unix epoch. */
      readonly nowMs: number
      /** 32 bytes that all randomness of the run follows from, in hexadecimal: the runtime copies texts faster than bytes. */
      readonly seed: string
      /** The most UTF-16 units of the output as JSON. */
      readonly maxOutputLength: number
      /** The memory that the API may keep after the run. */
      readonly maxKeptBytes: number
    }
  /** Answers `ask`. */
  | { readonly kind: "answer"; readonly question: number; readonly answer: DnsAnswer | DnsReply }
  /** Answers `get`. */
  | { readonly kind: "got"; readonly request: number; readonly answer: WebAnswer }

/** A message from that worker. */
export type FromWorker =
  /** The definition as JSON, see `packDefinition`. */
  | { readonly kind: "loaded"; readonly definition: string }
  /** The API cannot be used; the problem is for the operator. */
  | { readonly kind: "refused"; readonly problem: string }
  /** The input of an isolated API asks for too much. */
  | { readonly kind: "overrun"; readonly excess: Excess }
  /** A run ended with this output, as JSON. */
  | { readonly kind: "done"; readonly output: string }
  /** A run called `reject`. */
  | { readonly kind: "rejected"; readonly parameter: string; readonly requirement: string }
  /** A run called `unavailable`. */
  | { readonly kind: "unavailable"; readonly sentence: string; readonly reason: string }
  /** A run threw something else. The cause is for the log; the detail may hold input. */
  | { readonly kind: "failed"; readonly cause: string; readonly detail: string }
  /** The API keeps too much memory after a run. */
  | { readonly kind: "full" }
  /** Something failed that no run waits for, such as a timer that an earlier one left behind. */
  | { readonly kind: "uncaught"; readonly cause: string }
  /** The API wrote to the console. */
  | { readonly kind: "said"; readonly text: string }
  /** Asks the DNS. */
  | { readonly kind: "ask"; readonly question: number; readonly asked: ThreadQuestion }
  /** Asks for a document over HTTPS. */
  | { readonly kind: "get"; readonly request: number; readonly url: string }

/** A question to the DNS. */
export interface ThreadQuestion {
  readonly name: string
  readonly type: DnsType
  /** Set for `exchange`, null for `resolve`. */
  readonly exchange: ExchangeOptions | null
}
