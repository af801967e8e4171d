/** The findings about a service that was called while it took over new versions. */
export interface Reloads {
  readonly calls: number
  /** Reloads that took something over. */
  readonly reloads: number
  /** Calls without an answer, or with another status than 200. */
  readonly refused: number
  /** Calls that were dear. */
  readonly dear: number
  /** The sum of the prices that the answers say; null where answers say none. */
  readonly answered: number | null
}

export interface ReloadsOptions {
  readonly url: string
  readonly key: string
  readonly adminKey: string
  readonly calls: number
  readonly reloads: number
  /** The path that is called, with a JSON body. */
  readonly path: string
  readonly body: object
  /** Writes the files of a version in which a call has this price. */
  write(price: number): void
  /** The price that an answer was made under; null where it says none. */
  priceOf(data: Readonly<Record<string, unknown>>): number | null
}

/** So different that a sum tells how many calls had each. */
export const prices = { cheap: 1, dear: 1_000 } as const
const clients = 8

/** Calls a service from several clients, and reloads it after every few calls with another price. The first one is cheap. */
export async function callAcrossReloads(options: ReloadsOptions): Promise<Reloads> {
  const { calls, reloads, write } = options
  const callsBetween = calls / (reloads + 1)
  let started = 0
  /** Calls that may start before the next reload has ended, so that some are left for what it takes over. */
  let allowed = callsBetween
  let allowMore = Promise.withResolvers<void>()
  let [done, refused, dear, answered, taken] = [0, 0, 0, 0, 0]
  let hasPrices = true

  async function client(): Promise<void> {
    while (started < calls) {
      if (started >= allowed) {
        await allowMore.promise
        continue
      }
      started++
      const answer = await post(options, options.path, { "x-api-key": options.key }, options.body)
      done++
      if (answer?.status !== 200) {
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

  const running = Promise.all(Array.from({ length: clients }, client))
  for (let reload = 0; reload < reloads; reload++) {
    const goal = Math.floor(callsBetween * (reload + 0.5))
    while (done < goal) await new Promise((resolve) => setImmediate(resolve))
    write(reload % 2 === 0 ? prices.dear : prices.cheap)
    const headers = { authorization: `Bearer ${options.adminKey}` }
    const answer = await post(options, "/admin/v1/config/reload", headers, {})
    const text = await answer?.text()
    if (answer?.status !== 200) throw new Error(`a reload was refused: ${text}`)
    const { data } = JSON.parse(text ?? "") as { data: readonly unknown[] }
    if (data.length > 0) taken++
    allowed += callsBetween
    allowMore.resolve()
    allowMore = Promise.withResolvers()
  }
  await running
  return {
    ...{ calls: done, reloads: taken, refused, dear },
    answered: hasPrices ? answered : null,
  }
}

/** Null when no answer came. A new connection for each request goes to any process. */
async function post(
  { url }: Pick<ReloadsOptions, "url">,
  path: string,
  headers: Readonly<Record<string, string>>,
  body: object,
): Promise<Response | null> {
  try {
    return await fetch(url + path, {
      method: "POST",
      headers: { ...headers, "content-type": "application/json", connection: "close" },
      body: JSON.stringify(body),
    })
  } catch {
    return null
  }
}
