import { until } from "../../test/support/until.ts"

/** The findings about a service that was called while it took over new versions. */
interface Reloads {
  /** Calls with an answer. */
  readonly calls: number
  /** Reloads that every process took over. */
  readonly reloads: number
  /** Calls with another status than 200. */
  readonly refused: number
  /** Calls whose connection ended without an answer. */
  readonly lost: number
  /** Calls that were dear. */
  readonly dear: number
  /** The sum of the prices that the answers say; null where answers say none. */
  readonly answered: number | null
}

interface ReloadsOptions {
  readonly url: string
  readonly key: string
  readonly adminKey: string
  readonly reloads: number
  /** The API that is called, with a JSON body. */
  readonly api: string
  readonly body: object
  /** Writes the files of a version in which a call has this price. */
  write(price: number): void
  /** Asks the service to take them over; null to reload its configuration. */
  readonly takeOver: (() => void) | null
  /** The price that an answer was made under; null where it says none. */
  priceOf(data: Readonly<Record<string, unknown>>): number | null
}

/** So different that a sum tells how many calls had each. */
export const prices = { cheap: 1, dear: 1_000 } as const
const clients = 8
/** Calls between the end of a reload and the next one. */
const callsBetween = 50
/** Answers in a row that show a price in every process: each comes over a new connection, which may go to any. */
const answersInARow = 16

/** Calls a service from several clients, and reloads it after every few calls with another price. The first one is cheap. */
export async function callAcrossReloads(options: ReloadsOptions): Promise<Reloads> {
  const { url, api, adminKey, reloads, write } = options
  const authorization = `Bearer ${adminKey}`
  let [done, lost, refused, dear, answered, taken] = [0, 0, 0, 0, 0, 0]
  let hasPrices = true
  let isOver = false

  async function client(): Promise<void> {
    while (!isOver) {
      const answer = await post(`${url}/v1/${api}?format=json`, { "x-api-key": options.key }, options.body)
      if (answer === null) {
        lost++
        continue
      }
      done++
      if (answer.status !== 200) {
        refused++
        continue
      }
      const { data } = (await answer.json()) as { data: Readonly<Record<string, unknown>> }
      const price = options.priceOf(data)
      if (price === null) hasPrices = false
      else answered += price
      if (price === prices.dear) dear++
    }
  }

  function moreCalls(): Promise<void> {
    const goal = done + callsBetween
    return until(() => done >= goal)
  }

  /** By a document of each API, since the admin API answers a key only some 600 times a minute. */
  function everyProcessHas(price: number): Promise<void> {
    const headers = { connection: "close" }
    return until(async () => {
      for (let inARow = 0; inARow < answersInARow; inARow++) {
        const answer = await fetch(`${url}/openapi/${api}.json`, { headers }).catch(() => null)
        if (!new RegExp(`"x-credits":${price}\\b`).test((await answer?.text()) ?? "")) return false
      }
      return true
    })
  }

  const running = Promise.all(Array.from({ length: clients }, client))
  for (let reload = 0; reload < reloads; reload++) {
    await moreCalls()
    const price = reload % 2 === 0 ? prices.dear : prices.cheap
    write(price)
    if (options.takeOver) options.takeOver()
    else {
      const answer = await post(`${url}/admin/v1/config/reload`, { authorization }, {})
      if (answer?.status !== 200) throw new Error(`a reload was refused: ${await answer?.text()}`)
    }
    await everyProcessHas(price)
    taken++
  }
  await moreCalls()
  isOver = true
  await running
  return { ...{ calls: done, reloads: taken, refused, lost, dear }, answered: hasPrices ? answered : null }
}

/** Null when no answer came. A new connection for each request goes to any process. */
async function post(url: string, headers: Readonly<Record<string, string>>, body: object) {
  try {
    return await fetch(url, {
      method: "POST",
      headers: { ...headers, "content-type": "application/json", connection: "close" },
      body: JSON.stringify(body),
    })
  } catch {
    return null
  }
}
