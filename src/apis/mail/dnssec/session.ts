import type { DnsReply, DnsType, RunContext } from "../../contract.ts"
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

/** Asks one question with the records of DNSSEC, as `exchange` of the DNS port does. */
export type Exchange = (name: string, type: DnsType) => Promise<DnsReply>

/** A reply that is no failure. */
export type Reply = DnsReply & { readonly kind: "reply" }

/** Asks each question once, and only so many. */
export class Questions {
  readonly #exchange: Exchange
  readonly #limit: number
  readonly #replies = new Map<string, Promise<DnsReply>>()

  constructor(exchange: Exchange, limit: number = limits.questions) {
    this.#exchange = exchange
    this.#limit = limit
  }

  /** Ends the validation when there is no answer. */
  async ask(name: string, type: DnsType): Promise<Reply> {
    const key = `${type} ${name}`
    if (!this.#replies.has(key) && this.#replies.size >= this.#limit)
      throw new Ended("indeterminate", "too_many_questions", name)
    const asked = this.#replies.get(key) ?? this.#exchange(name === "" ? "." : name, type)
    this.#replies.set(key, asked)
    const reply = await asked
    if (reply.kind === "failure") throw new Ended("indeterminate", "no_answer", `${name || "."} ${type}`)
    return reply
  }
}

/** State that one validation, or several of one server, share: their questions, the number of verifications, and the results. */
export class Session {
  readonly links: ChainLink[] = []
  readonly now: number
  readonly giveWay: RunContext["giveWay"]
  readonly #questions: Questions
  #verifications = 0

  /** @param now in seconds since the Unix epoch */
  constructor(questions: Questions, now: number, giveWay: RunContext["giveWay"]) {
    this.#questions = questions
    this.now = now
    this.giveWay = giveWay
  }

  ask(name: string, type: DnsType): Promise<Reply> {
    return this.#questions.ask(name, type)
  }

  /** Counts a verification before it is made. */
  async beforeVerification(owner: string): Promise<void> {
    this.#verifications += 1
    if (this.#verifications > limits.verifications) throw new Ended("bogus", "too_much_work", owner)
    const pause = this.giveWay()
    if (pause) await pause
  }
}
