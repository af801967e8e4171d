import { momentOf } from "./admin-kills.ts"
import type { Instance } from "./instance.ts"

/** The findings about services that were killed while they answered calls with an Idempotency-Key. */
interface RepeatKills {
  /** Calls, each with an Idempotency-Key of its own, and sent four times. */
  readonly calls: number
  /** The price of all of them, each charged once, with the calls without a key that measured the prices. */
  readonly credits: number
  /** Calls whose first answer did not arrive, so that nobody knew whether they were charged. */
  readonly lost: number
  /** Calls that had been charged: the second answer was a replay. */
  readonly lostWithEffect: number
  /** The problems, in words; empty when each call was answered and charged once. */
  readonly problems: readonly string[]
}

/** A call on one surface. Its answer depends on its input alone. */
interface Call {
  readonly path: string
  /** Null for GET. */
  readonly body: object | null
}

interface Answer {
  readonly status: number
  readonly isReplay: boolean
  readonly text: string
}

/** The same calls on each surface with another text in each round. */
function callsOf(round: number): readonly Call[] {
  const input = { message: `round ${round}`, secret: "key" }
  const query = `{ hmac(input: {message: "round ${round}", secret: "key"}) { hmac } linesorter(input: {lines: ["b", "a"]}) { sorted } }`
  const each: readonly Call[] = [
    { path: `/v1/bluetoothlookup?companyid=${round % 1_000}`, body: null },
    { path: "/v1/hmac", body: input },
    { path: "/v1/hmac/batch", body: { inputs: [input, input, { secret: "refused" }, input] } },
    { path: "/v1/graphql", body: { query } },
  ]
  // Several at once: a kill finds them at different steps.
  return [...each, ...each, ...each]
}

/**
 * Kills a service `rounds` times while it answers calls with Idempotency-Keys, and sends the same calls again: at once to another
 * instance, or to the same one when it was started again. In every fourth round the instance that answers the repeats is killed
 * too.
 * @param key has an account of its own, whose credits are never used up
 */
export async function killDuringCalls(
  instances: readonly Instance[],
  options: { readonly key: string; readonly rounds: number; readonly say: (text: string) => void },
): Promise<RepeatKills> {
  const { key, rounds, say } = options
  const problems: string[] = []
  let calls = 0
  let credits = 0
  let lost = 0
  let lostWithEffect = 0

  async function send({ url }: Instance, { path, body }: Call, idempotencyKey?: string): Promise<Answer> {
    const response = await fetch(url + path, {
      method: body === null ? "GET" : "POST",
      headers: {
        "x-api-key": key,
        ...(body !== null && { "content-type": "application/json" }),
        ...(idempotencyKey !== undefined && { "idempotency-key": idempotencyKey }),
      },
      ...(body !== null && { body: JSON.stringify(body) }),
    })
    const isReplay = response.headers.get("idempotent-replayed") === "true"
    return { status: response.status, isReplay, text: await response.text() }
  }

  async function usedOf(instance: Instance): Promise<number> {
    const { text } = await send(instance, { path: "/v1/usage", body: null })
    return JSON.parse(text).data.credits.used
  }

  /** The price of each call, in their order. */
  async function measureCosts(instance: Instance): Promise<readonly number[]> {
    const costs: number[] = []
    for (const call of callsOf(0)) {
      const before = await usedOf(instance)
      await send(instance, call)
      costs.push((await usedOf(instance)) - before)
    }
    return costs
  }

  /** Sends all calls of a round, and kills the instance meanwhile. Null for each call without an answer. */
  async function sendAndKill(
    instance: Instance,
    round: number,
    sent: readonly Call[],
    names: readonly string[],
  ) {
    const answers = sent.map((call, index) => send(instance, call, names[index]).catch(() => null))
    await momentOf(round, answers, 30)
    await instance.kill()
    return Promise.all(answers)
  }

  async function tryRound(round: number, costs: readonly number[], usedBefore: number): Promise<void> {
    const sent = callsOf(round)
    const names = sent.map(() => crypto.randomUUID())
    const sendAll = (instance: Instance) =>
      Promise.all(sent.map((call, index) => send(instance, call, names[index])))
    const killed = instances[round % instances.length]
    const other = instances[(round + 1) % instances.length]
    if (!killed || !other) throw new Error("there is no instance")
    const first = await sendAndKill(killed, round, sent, names)
    if (other === killed) await killed.start()
    const isKilledAgain = round % 4 === 3
    const second = isKilledAgain ? await sendAndKill(other, round, sent, names) : await sendAll(other)
    if (isKilledAgain) await other.start()
    if (other !== killed) await killed.start()
    const third = await sendAll(killed)
    const fourth = await sendAll(other)
    for (const [index, { path }] of sent.entries()) {
      const answers = [first[index], second[index], third[index], fourth[index]]
      calls++
      credits += costs[index] ?? 0
      if (!first[index]) lost++
      if (!first[index] && second[index]?.isReplay) lostWithEffect++
      for (const what of mistakesOf(answers)) problems.push(`round ${round}, ${path}: ${what}`)
    }
    // Whatever was killed, each key stands for its call: the same key with another input is refused.
    const refused = await send(killed, { path: "/v1/hmac", body: { message: "", secret: "other" } }, names[1])
    if (refused.status !== 422) problems.push(`round ${round}: another input is answered ${refused.status}`)
    const used = (await usedOf(killed)) - usedBefore
    if (used !== credits) problems.push(`round ${round}: ${used} credits used instead of ${credits}`)
  }

  const [any] = instances
  if (!any) throw new Error("there must be an instance")
  const usedBefore = await usedOf(any)
  const costs = await measureCosts(any)
  credits = costs.reduce((sum, cost) => sum + cost, 0)
  for (let round = 0; round < rounds; round++) {
    await tryRound(round, costs, usedBefore)
    if (round % 50 === 49)
      say(`${round + 1} kills: ${lost} answers lost, ${lostWithEffect} of them of charged calls`)
  }
  return { calls, credits, lost, lostWithEffect, problems }
}

/** The fault in the answers to one call that was sent four times; the answers to the last two must have arrived. */
function mistakesOf(answers: readonly (Answer | null | undefined)[]): readonly string[] {
  const [, , third, fourth] = answers
  const arrived = answers.flatMap((answer) => answer ?? [])
  const [one] = arrived
  const seen = `answers ${answers.map((answer) => (answer ? `${answer.status}${answer.isReplay ? " again" : ""}` : "none")).join(", ")}`
  const isRight =
    third &&
    fourth?.isReplay &&
    // Also a 409 is wrong: of a killed process nothing is under way.
    arrived.every(({ status }) => status === 200) &&
    arrived.slice(1).every(({ isReplay }) => isReplay)
  if (!isRight) return [seen]
  // A replay says what the batch cost when it was charged.
  return arrived.every(({ text }) => text === one?.text) ? [] : ["the answers differ"]
}
