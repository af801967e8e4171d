/** A plan: what clients do, and what happens to the service meanwhile. It is made from a seed, and can be kept as a file. */
import { createRng } from "./kernel.ts"

/** A call of an API, as each surface makes it. */
export interface CallAction {
  readonly kind: "single" | "batch" | "query"
  readonly account: number
  readonly api: number
  /** The inputs of a batch. */
  readonly size: number
  /** How many of them fail. */
  readonly bads: number
  /** The Idempotency-Key; null without one. */
  readonly key: string | null
  /** Whether the key is used for another input than usual. */
  readonly isOther: boolean
  /** Whether the client leaves before the answer. */
  readonly leaves: boolean
}

/** A change of the administration, with an Idempotency-Key unless it is null. */
export interface ChangeAction {
  readonly kind: "grant" | "adjust" | "move" | "key" | "close"
  readonly account: number
  readonly value: number
  readonly key: string | null
}

/** One thing that a client does. A client waits for each answer, and sends again what was lost. */
export type Action =
  | CallAction
  | ChangeAction
  | { readonly kind: "signUp"; readonly email: number }
  | { readonly kind: "wait"; readonly ms: number }

const eventKinds = ["kill", "month", "day", "skew", "price", "lock", "clean"] as const

/** Something that happens to the service, so long after the start. */
export interface PlanEvent {
  readonly atMs: number
  readonly kind: (typeof eventKinds)[number]
  readonly instance: number
  readonly value: number
}

export interface Plan {
  /** The actions of each client. A client keeps its place, on which its chances depend. */
  readonly clients: readonly (readonly Action[])[]
  readonly events: readonly PlanEvent[]
}

const mostClients = 20
/** The clients before this one call APIs, those from it on do other things too. */
const firstOperator = 16

/**
 * Makes the plan of a seed. Every client and the events have chances of their own, so that one can be left out without changing
 * the others. Every second plan is a small one, which costs half.
 */
export function makePlan(seed: number, clients = seed % 2 === 0 ? mostClients : mostClients / 4): Plan {
  const step = mostClients / clients
  const rng = createRng(Math.imul(seed, 15485863) + 17)
  return {
    clients: Array.from({ length: clients }, (_, place) => {
      const chances = createRng(Math.imul(seed, 7919) + place * 104729)
      const makeAction = place * step >= firstOperator ? makeChange : makeCall
      return Array.from({ length: 3 + chances.int(6) }, () => makeAction(chances, place))
    }),
    events: Array.from({ length: 3 + rng.int(6) }, () => ({
      atMs: 1 + rng.int(1_500),
      kind: rng.pick([...eventKinds, "kill"]),
      instance: rng.int(2),
      value: rng.int(1_000),
    })),
  }
}

type Rng = ReturnType<typeof createRng>

function makeCall(rng: Rng, place: number): Action {
  if (rng.chance(0.15)) return { kind: "wait", ms: 1 + rng.int(400) }
  return {
    kind: rng.pick(["single", "single", "single", "batch", "query"]),
    account: rng.int(3),
    api: rng.int(3),
    size: 1 + rng.int(4),
    bads: rng.int(3),
    key: rng.chance(0.5) ? `k${rng.chance(0.3) ? rng.int(4) : `${place}-${rng.int(3)}`}` : null,
    isOther: rng.chance(0.05),
    leaves: rng.chance(0.03),
  }
}

function makeChange(rng: Rng, place: number): Action {
  if (rng.chance(0.15)) return { kind: "wait", ms: 1 + rng.int(400) }
  if (rng.chance(0.15)) return makeCall(rng, place)
  if (rng.chance(0.2)) return { kind: "signUp", email: rng.int(3) }
  return {
    kind: rng.pick(["grant", "grant", "grant", "adjust", "adjust", "move", "move", "key", "key", "close"]),
    account: rng.int(3),
    value: rng.int(1_000),
    key: rng.chance(0.8) ? `a${rng.chance(0.2) ? rng.int(3) : `${place}-${rng.int(3)}`}` : null,
  }
}

/** The plan in words. */
export function describePlan({ clients, events }: Plan): string {
  const there = clients.filter((actions) => actions.length > 0)
  return `${there.length} clients, ${there.flat().length} actions, ${events.length} events`
}
