import type { Dns, DnsReply, DnsType, RunContext } from "../../contract.ts"
import { Ended } from "./ended.ts"
import type { DelegationSigner } from "./keys.ts"
import { limits } from "./limits.ts"
import type { Signature } from "./record-set.ts"

/** A signature that was found to be right. */
export interface CheckedSignature {
  readonly owner: string
  readonly signature: Signature["data"]
}

/** A zone on the way from the root, for the report. */
export interface ChainLink {
  readonly zone: string
  /** Null for the root, whose keys are compared with the trust anchors. */
  readonly signers: readonly DelegationSigner[] | null
  readonly keys: readonly {
    readonly tag: number
    readonly algorithm: number
    readonly flags: number
    readonly isMatched: boolean
  }[]
  readonly signatures: CheckedSignature[]
}

/** A reply that is no failure. */
export type Reply = DnsReply & { readonly kind: "reply" }

/** Asks a question, and ends the validation when there is no answer. */
type Ask = (name: string, type: DnsType) => Promise<Reply>

/** Asks each question once, and only so many, with the records of DNSSEC. */
export function createQuestions(
  dns: Pick<Dns, "exchange">,
  signal?: AbortSignal,
  most: number = limits.questions,
): Ask {
  const replies = new Map<string, Promise<DnsReply>>()
  return async (name, type) => {
    const key = `${type} ${name}`
    if (!replies.has(key) && replies.size >= most)
      throw new Ended("indeterminate", "too_many_questions", name)
    const asked = replies.get(key) ?? dns.exchange(name === "" ? "." : name, type, { dnssec: true }, signal)
    replies.set(key, asked)
    const reply = await asked
    if (reply.kind === "failure") throw new Ended("indeterminate", "no_answer", `${name || "."} ${type}`)
    return reply
  }
}

/** State that one validation, or several of one server, share: their questions, the number of verifications, and the results. */
export type Session = ReturnType<typeof createSession>

/** @param now in seconds since the Unix epoch */
export function createSession(ask: Ask, now: number, giveWay: RunContext["giveWay"]) {
  const links: ChainLink[] = []
  let verifications = 0
  return {
    ...{ ask, now, giveWay, links },
    /** Counts a verification before it is made. */
    async beforeVerification(owner: string): Promise<void> {
      verifications += 1
      if (verifications > limits.verifications) throw new Ended("bogus", "too_much_work", owner)
      const pause = giveWay()
      if (pause) await pause
    },
  }
}
