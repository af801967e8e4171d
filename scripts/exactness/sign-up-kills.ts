import type { Instance } from "./instance.ts"

/** The findings about a service that was killed while customers signed up. */
export interface SignUpKills {
  /** Customers who signed up. */
  readonly customers: number
  /** Questions for a link, and links used, whose answer did not arrive. */
  readonly lost: number
  /** Used links that had made their account. */
  readonly lostWithEffect: number
  /** The problems, in words; empty when each customer has one account with one key, one audit record, and can sign in. */
  readonly problems: readonly string[]
}

/** One customer: the browser's cookie, and a network of their own. */
interface Customer {
  readonly email: string
  readonly network: string
  cookie: string
}

/**
 * Kills a service `rounds` times while a customer signs up: in turn when they ask for a link, and when they use it. Then the
 * service is started again, and the customer goes on as people do: asks again, uses the link again, or asks for a link to sign
 * in.
 * @param links returns the links in the mails to an address that have arrived, oldest first
 */
export async function killDuringSignUp(
  instance: Instance,
  options: {
    readonly adminKey: string
    readonly rounds: number
    readonly links: (email: string) => readonly string[]
    readonly say: (text: string) => void
  },
): Promise<SignUpKills> {
  const { adminKey, rounds, links, say } = options
  const problems: string[] = []
  let lost = 0
  let lostWithEffect = 0

  async function post(customer: Customer, path: string, body: object): Promise<Response> {
    const response = await fetch(instance.url + path, {
      method: "POST",
      headers: {
        origin: instance.url,
        "content-type": "application/json",
        "x-forwarded-for": customer.network,
        ...(customer.cookie !== "" && { cookie: customer.cookie }),
      },
      body: JSON.stringify(body),
    })
    for (const set of response.headers.getSetCookie()) {
      if (set.startsWith("penknife-browser=")) customer.cookie = set.split(";")[0] ?? ""
    }
    return response
  }
  const ask = (customer: Customer, purpose: "sign-up" | "sign-in") =>
    post(customer, "/portal/mail-links", { for: purpose, email: customer.email })
  const peek = (customer: Customer, link: string) =>
    post(customer, "/portal/mail-links/read", { token: link.split("=").at(-1) })
  /**
   * Waits for a link that works in the customer's browser. If none comes, the process that was killed may have had the mail in
   * hand; then the customer asks again, as people do. Undefined if that brings none either.
   */
  async function arrived(customer: Customer, purpose: "sign-up" | "sign-in"): Promise<string | undefined> {
    for (let look = 0; look < 200; look++) {
      for (const link of links(customer.email).filter(
        (one) => one.includes("#sign-in=") === (purpose === "sign-in"),
      ))
        if ((await peek(customer, link)).status === 200) return link
      await Bun.sleep(20)
      if (look === 100) await ask(customer, purpose)
    }
    return undefined
  }
  const confirm = (customer: Customer, link: string) =>
    post(customer, "/portal/mail-links/confirm", { token: link.split("=").at(-1) })

  /** Sends a request, kills the service at a random moment, and starts it again. Null when no answer came. */
  async function withKill(send: () => Promise<Response>, latestMs: number): Promise<Response | null> {
    const sent = send().catch(() => null)
    await Promise.race([sent, Bun.sleep(Math.random() * latestMs)])
    await instance.kill()
    const answer = await sent
    if (answer === null) lost++
    await instance.start()
    return answer
  }

  async function read(path: string): Promise<readonly Record<string, unknown>[]> {
    const response = await fetch(`${instance.url}/admin/v1${path}`, {
      headers: { authorization: `Bearer ${adminKey}` },
    })
    return JSON.parse(await response.text()).data
  }

  async function signUp(round: number): Promise<void> {
    const email = `customer${round}@example.com`
    const customer: Customer = { email, network: `10.${round >> 8}.${round & 255}.1`, cookie: "" }
    const wrong = (what: string) => problems.push(`round ${round}: ${what}`)
    const isAskKilled = round % 2 === 0
    const asked = isAskKilled ? await withKill(() => ask(customer, "sign-up"), 12) : null
    // Without an answer the browser has no cookie, so its link would be of no use.
    if (asked?.status !== 202) {
      const again = await ask(customer, "sign-up")
      if (again.status !== 202) return void wrong(`asking again is answered ${again.status}`)
    }
    const used = await arrived(customer, "sign-up")
    if (used === undefined) return void wrong("no mail came after the answer")
    const first = isAskKilled
      ? await confirm(customer, used)
      : await withKill(() => confirm(customer, used), 8)
    if (first !== null && first.status !== 201) return void wrong(`the link is answered ${first.status}`)
    const second = await confirm(customer, used)
    if (first !== null && second.status !== 401) wrong(`the used link is answered ${second.status}`)
    if (first === null && second.status === 401) lostWithEffect++
    if (first === null && second.status !== 401 && second.status !== 201) wrong(`then ${second.status}`)
    await check(customer, wrong)
  }

  async function check(customer: Customer, wrong: (what: string) => void): Promise<void> {
    const accounts = await read(`/accounts?email=${encodeURIComponent(customer.email)}`)
    const account = String(accounts[0]?.id)
    const keys = await read(`/keys?account=${account}`)
    const records = await read(`/audit?account=${account}&operation=portal.sign_up`)
    const found = [accounts.length, keys.length, records.length]
    if (found.some((number) => number !== 1)) wrong(`${found.join(", ")} accounts, keys and audit records`)
    // Whoever got no key because the answer was lost signs in by mail.
    if ((await ask(customer, "sign-in")).status !== 202) wrong("no link to sign in")
    const link = await arrived(customer, "sign-in")
    if (link === undefined) return wrong("no mail to sign in")
    const signedIn = await confirm(customer, link)
    if (signedIn.status !== 201) wrong(`signing in is answered ${signedIn.status}`)
  }

  await instance.start()
  for (let round = 0; round < rounds; round++) {
    await signUp(round)
    if (round % 50 === 49) say(`${round + 1} kills: ${lost} answers lost, ${lostWithEffect} with an account`)
  }
  await instance.stop()
  return { customers: rounds, lost, lostWithEffect, problems }
}
