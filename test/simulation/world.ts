/** A run of a plan: two instances of the service on one store, clients that call them, and books that are kept beside them. */

import type { Ports } from "../../src/apis/contract.ts"
import type { NoticeRules } from "../../src/store/outbox.ts"
import type { OpenStore } from "../../src/store/store-options.ts"
import { accountsCreatedMs, firstAccounts, startMs } from "./data-file.ts"
import type { Instance, SimulatedInstance } from "./instance.ts"
import type { Kernel } from "./kernel.ts"
import { createKernel, Violation } from "./kernel.ts"
import { createModel, type Model } from "./model.ts"

export const thresholds = [80, 95]

/** The state that the parts of a run share. */
export interface World {
  readonly seed: number
  readonly kernel: Kernel
  readonly model: Model
  /** The data file. */
  readonly file: string
  readonly instances: Instance[]
  /** Opens the store for an instance. A promise is resolved within steps. */
  readonly open: (instance: SimulatedInstance, parts: OpenParts) => OpenStore | Promise<OpenStore>
  /** Instances whose store is being opened. */
  readonly starting: Set<number>
  /** How many instances were started. */
  starts: number
  /** Whether another program locks the data file. */
  isLocked: boolean
  /** How often each kind of thing happened. */
  readonly counts: Map<string, number>
  /** The credits of calls without a key that were answered, by account; and the most that lost ones may have cost. */
  readonly answered: Map<string, number>
  readonly lost: Map<string, number>
  /** Idempotency-Keys of calls that were answered and charged, as `account key`. */
  readonly answeredKeys: Set<string>
  /** Idempotency-Keys of changes that were answered. */
  readonly answeredChanges: Set<string>
  /** How often each notice and mail was sent, by its id. */
  readonly sent: Map<string, number>
  /** Mails that the mail server took, by their recipient. */
  readonly mailboxes: Map<string, string[]>
  /** The addresses of customers who signed up, with their account. */
  readonly signedUp: Map<string, string>
  count(kind: string): void
  /** Ends the run, unless something else has ended it. */
  fail(text: string): void
  violation(): Violation | null
  /** Calls something that throws a violation, and ends the run with it. */
  check(work: () => void): void
}

/** The parts that a store is opened with. */
export interface OpenParts {
  readonly ports: Ports
  readonly notices: NoticeRules
  /** Gives what the clock said while charges were gathered. */
  readonly readings: () => readonly number[]
}

/** @param trace gets each step, if there is somebody to read it */
export function createWorld(
  seed: number,
  file: string,
  open: (world: World, instance: SimulatedInstance, parts: OpenParts) => OpenStore | Promise<OpenStore>,
  trace: ((line: string) => void) | undefined,
): World {
  const model = createModel(thresholds)
  for (const { id, bonus } of firstAccounts) model.add(id, accountsCreatedMs, bonus)
  const counts = new Map<string, number>()
  let found: Violation | null = null
  const fail = (text: string) => {
    found ??= new Violation(text)
  }
  const world: World = {
    open: (instance, parts) => open(world, instance, parts),
    ...{ seed, kernel: createKernel(seed, startMs, trace), model, file, counts, fail },
    ...{ isLocked: false, starts: 0, starting: new Set() },
    ...{ instances: [], answered: new Map(), lost: new Map(), sent: new Map(), mailboxes: new Map() },
    ...{ answeredKeys: new Set(), answeredChanges: new Set(), signedUp: new Map() },
    count: (kind) => void counts.set(kind, (counts.get(kind) ?? 0) + 1),
    violation: () => found,
    check(work) {
      try {
        work()
      } catch (thrown) {
        if (!(thrown instanceof Violation)) throw thrown
        fail(thrown.message)
      }
    },
  }
  return world
}
