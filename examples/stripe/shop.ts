/** Sells plans and credits of a penknife service with Stripe Checkout, and tells the service's admin API what was paid. */
import type Stripe from "stripe"

/** Something to sell: a plan by subscription, or credits at once. `price` is the id of a price at Stripe. */
export type Offer =
  | { readonly price: string; readonly plan: string }
  | { readonly price: string; readonly credits: number }

export interface ShopOptions {
  readonly stripe: Stripe
  /** The secret of the webhook endpoint, `whsec_…`. */
  readonly webhookSecret: string
  /** The address of the penknife service, and an admin key with the permissions `accounts.*` and `credits.adjust`. */
  readonly penknife: { readonly url: string; readonly adminKey: string }
  /** By the names that links use. */
  readonly offers: Readonly<Record<string, Offer>>
  /** The plan of accounts without a subscription. */
  readonly freePlan: string
  /** Where the customer is sent after paying or giving up, such as the portal. */
  readonly returnUrl: string
}

const accountForm = /^acc_[0-9A-Za-z]{1,64}$/

/** Makes the function that answers the requests of the shop: `GET /buy?offer=…&account=…` and `POST /webhook`. */
export function createShop(options: ShopOptions): (request: Request) => Promise<Response> {
  const { stripe, webhookSecret, offers, returnUrl } = options

  /** Sends the customer to a page of Stripe. Whoever pays for another account gives it away, so nobody has to sign in here. */
  async function buy(query: URLSearchParams): Promise<Response> {
    const account = query.get("account") ?? ""
    const name = query.get("offer") ?? ""
    const offer = Object.hasOwn(offers, name) ? offers[name] : undefined
    if (!offer || !accountForm.test(account))
      return text(400, "'offer' must be one that is sold, and 'account' the id of an account.")
    // Stripe sends this back with each event: what was bought stays so when the offers change.
    const metadata = { account, ...("plan" in offer ? { plan: offer.plan } : { credits: offer.credits }) }
    const session = await stripe.checkout.sessions.create({
      mode: "plan" in offer ? "subscription" : "payment",
      line_items: [{ price: offer.price, quantity: 1 }],
      metadata,
      ...("plan" in offer ? { subscription_data: { metadata } } : { payment_intent_data: { metadata } }),
      success_url: returnUrl,
      cancel_url: returnUrl,
    })
    return session.url ? Response.redirect(session.url, 303) : text(502, "Stripe has no page for this.")
  }

  /** Stripe repeats an event until the answer is 2xx, and does not keep their order. */
  async function receive(request: Request): Promise<Response> {
    const body = await request.text()
    const signature = request.headers.get("stripe-signature") ?? ""
    let event: Stripe.Event
    try {
      event = await stripe.webhooks.constructEventAsync(body, signature, webhookSecret)
    } catch {
      return text(400, "The signature is not that of Stripe.")
    }
    await handle(event, options)
    return text(200, "ok")
  }

  return async (request) => {
    const { pathname, searchParams } = new URL(request.url)
    try {
      if (request.method === "GET" && pathname === "/buy") return await buy(searchParams)
      if (request.method === "POST" && pathname === "/webhook") return await receive(request)
      return text(404, "Not found.")
    } catch (cause) {
      console.error(cause)
      return text(500, "Something went wrong here. Try again.")
    }
  }
}

async function handle(event: Stripe.Event, options: ShopOptions): Promise<void> {
  switch (event.type) {
    case "checkout.session.completed": {
      const { mode, metadata, payment_status, payment_intent, subscription } = event.data.object
      if (mode === "subscription") return followSubscription(event, idOf(subscription), options)
      const { account, credits } = boughtBy(metadata)
      if (payment_status !== "paid" || account === null || credits === 0) return
      return adjust(event, { account, credits, reason: "Top-up", payment: idOf(payment_intent) }, options)
    }
    case "invoice.paid":
      return followSubscription(
        event,
        idOf(event.data.object.parent?.subscription_details?.subscription),
        options,
      )
    case "customer.subscription.deleted":
      return followSubscription(event, event.data.object.id, options)
    case "charge.refunded":
      return refund(event, options)
  }
}

/**
 * Gives an account the plan of its subscription, or the free plan once that is over. The subscription is asked for as it is now:
 * an event of before may come later than that of its end.
 */
async function followSubscription(
  event: Stripe.Event,
  id: string | null,
  options: ShopOptions,
): Promise<void> {
  if (id === null) return
  const { status, metadata } = await options.stripe.subscriptions.retrieve(id)
  const bought = boughtBy(metadata)
  if (bought.account === null || bought.plan === null) return
  const isOver = ["canceled", "unpaid", "incomplete", "incomplete_expired"].includes(status)
  const plan = isOver ? options.freePlan : bought.plan
  await change(event, "PATCH", `/accounts/${bought.account}`, { plan }, options)
}

/** Takes back the credits of the part that was refunded. */
async function refund(event: Stripe.ChargeRefundedEvent, options: ShopOptions): Promise<void> {
  const { id, amount, amount_refunded, metadata } = event.data.object
  const { account, credits } = boughtBy(metadata)
  if (account === null || credits === 0) return
  const shareOf = (refunded: number) => Math.floor((credits * refunded) / amount)
  // A charge may be refunded in parts, with an event for each.
  const before = event.data.previous_attributes?.amount_refunded ?? 0
  const taken = shareOf(amount_refunded) - shareOf(before)
  if (taken === 0) return
  await adjust(
    event,
    { account, credits: -taken, reason: "Refund", payment: `${id} ${amount_refunded}` },
    options,
  )
}

interface Adjustment {
  readonly account: string
  readonly credits: number
  readonly reason: string
  /** The payment or refund at Stripe: an account has one adjustment for each. */
  readonly payment: string | null
}

function adjust(
  event: Stripe.Event,
  { account, credits, reason, payment }: Adjustment,
  options: ShopOptions,
) {
  const body = { credits, reason, reference: `stripe ${payment ?? event.id}` }
  return change(event, "POST", `/accounts/${account}/adjustments`, body, options)
}

/**
 * Changes something by the admin API. The id of the event is the Idempotency-Key: the same event sent again changes nothing.
 * @throws Error where a repetition may help, so that Stripe repeats the event
 */
async function change(
  event: Stripe.Event,
  method: "POST" | "PATCH",
  path: string,
  body: object,
  { penknife }: ShopOptions,
): Promise<void> {
  const answer = await fetch(`${penknife.url}/admin/v1${path}`, {
    method,
    headers: {
      "x-admin-key": penknife.adminKey,
      "content-type": "application/json",
      "idempotency-key": event.id,
    },
    body: JSON.stringify(body),
  })
  if (answer.ok) return
  const problem = `${event.type} ${event.id}: ${method} ${path} was refused with ${answer.status}: ${await answer.text()}`
  // 422: the event came before, and led to another state of its subscription. That change was made, and the next event brings the
  // rest.
  if (answer.status === 422) return
  // An account that is gone, or credits that were spent before their refund: no repetition helps, and a person has to look.
  if ([400, 404, 409].includes(answer.status) && !problem.includes("in-progress"))
    return console.error(problem)
  throw new Error(problem)
}

/** The account and its purchase, as {@link createShop} wrote them at Stripe; null and 0 if the payment was for something else. */
function boughtBy(metadata: Stripe.Metadata | null) {
  const { account = "", plan = null, credits = "0" } = metadata ?? {}
  return { account: accountForm.test(account) ? account : null, plan, credits: Number(credits) }
}

/** The id of something that Stripe sends as an id or as a whole. */
function idOf(value: string | { readonly id: string } | null | undefined): string | null {
  return typeof value === "string" ? value : (value?.id ?? null)
}

function text(status: number, body: string): Response {
  return new Response(`${body}\n`, { status, headers: { "content-type": "text/plain; charset=utf-8" } })
}
