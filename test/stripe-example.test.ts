/** The shop of examples/stripe beside a real service: signatures by Stripe's own library, and a Stripe on loopback. */
import { afterAll, expect, test } from "bun:test"
import Stripe from "stripe"
import shopPackage from "../examples/stripe/package.json" with { type: "json" }
import { createShop } from "../examples/stripe/shop.ts"
import packageJson from "../package.json" with { type: "json" }
import { adminOf, createTestAdminKey } from "./support/admin.ts"
import { startTestService } from "./support/service.ts"

const service = await startTestService()
const admin = await adminOf(service)
const permissions = ["accounts.write", "credits.adjust"]
const { key: adminKey } = await createTestAdminKey(service.db, { permissions })

/** The shop's requests to Stripe, and the subscriptions that Stripe has. */
const asked: string[] = []
const subscriptions = new Map<string, { status: string; metadata: Record<string, string> }>()
const checkoutUrl = "https://checkout.stripe.com/c/pay/cs_1"
const stripeServer = Bun.serve({
  hostname: "127.0.0.1",
  port: 0,
  async fetch(request) {
    const { pathname } = new URL(request.url)
    asked.push(`${request.method} ${pathname} ${decodeURIComponent(await request.text())}`)
    if (pathname === "/v1/checkout/sessions")
      return Response.json({ id: "cs_1", object: "checkout.session", url: checkoutUrl })
    const id = pathname.split("/").at(-1) ?? ""
    return Response.json({ id, object: "subscription", ...subscriptions.get(id) })
  },
})
afterAll(() => stripeServer.stop(true))

const secret = "whsec_test"
const address = { host: "127.0.0.1", port: stripeServer.port ?? 0, protocol: "http" } as const
const stripe = new Stripe("sk_test_x", { ...address, telemetry: false })
const createShopOf = (url: string) =>
  createShop({
    stripe,
    webhookSecret: secret,
    penknife: { url, adminKey },
    offers: { pro: { price: "price_pro", plan: "pro" }, small: { price: "price_small", credits: 1_000 } },
    freePlan: "free",
    returnUrl: "https://penknife.example.com/portal",
  })
const shop = createShopOf(service.url)

let events = 0

/** An event as Stripe would send it. */
function eventOf(type: string, object: object, previous?: object) {
  const data = { object, ...(previous && { previous_attributes: previous }) }
  return JSON.stringify({ id: `evt_${++events}`, object: "event", type, data })
}

const sign = (payload: string, more: object = {}): Promise<string> =>
  stripe.webhooks.generateTestHeaderStringAsync({ payload, secret, ...more })

async function deliver(payload: string, header?: string) {
  const request = new Request("http://shop.example/webhook", {
    method: "POST",
    headers: { "stripe-signature": header ?? (await sign(payload)) },
    body: payload,
  })
  return (await shop(request)).status
}

const createAccount = async (): Promise<string> =>
  String((await admin("POST", "/accounts", { body: { name: "Ann", plan: "free" } })).body.id)
async function show(id: string) {
  const { plan, bonus } = (await admin("GET", `/accounts/${id}`)).body
  return { plan, bonus: Number(bonus) }
}
const topUp = (account: string, payment: string, change: object = {}) =>
  eventOf("checkout.session.completed", {
    object: "checkout.session",
    mode: "payment",
    payment_status: "paid",
    payment_intent: payment,
    metadata: { account, credits: "1000" },
    ...change,
  })
const refundOf = (account: string, refunded: number, before: number) =>
  eventOf(
    "charge.refunded",
    {
      id: `ch_${account}`,
      object: "charge",
      amount: 900,
      amount_refunded: refunded,
      metadata: { account, credits: "1000" },
    },
    { amount_refunded: before },
  )

test("a link leads to Checkout, and says at Stripe what is bought and for whom", async () => {
  const account = await createAccount()
  const buy = (query: string) => shop(new Request(`http://shop.example/buy?${query}`))
  for (const offer of ["pro", "small"]) {
    const { status, headers } = await buy(`offer=${offer}&account=${account}`)
    expect([status, headers.get("location")]).toEqual([303, checkoutUrl])
  }
  expect(asked[0]).toContain("mode=subscription")
  expect(asked[0]).toContain(
    `subscription_data[metadata][account]=${account}&subscription_data[metadata][plan]=pro`,
  )
  expect(asked[1]).toContain("mode=payment")
  expect(asked[1]).toContain(
    `payment_intent_data[metadata][account]=${account}&payment_intent_data[metadata][credits]=1000`,
  )
  const before = asked.length
  const unknown = [`offer=none&account=${account}`, "offer=constructor&account=acc_1"]
  for (const wrong of [...unknown, "offer=pro&account=../x", ""]) expect((await buy(wrong)).status).toBe(400)
  expect(asked).toHaveLength(before)
})

test("a top-up is added once, however often its event comes, and whichever event tells of it", async () => {
  const account = await createAccount()
  const { bonus } = await show(account)
  const event = topUp(account, "pi_1")
  expect([await deliver(event), await deliver(event), await deliver(topUp(account, "pi_1"))]).toEqual([
    200, 200, 200,
  ])
  expect((await show(account)).bonus).toBe(bonus + 1_000)
  await deliver(topUp(account, "pi_2"))
  expect((await show(account)).bonus).toBe(bonus + 2_000)
})

test("a top-up that is not paid yet, or was not sold here, adds nothing", async () => {
  const account = await createAccount()
  const before = await show(account)
  const others = [{ metadata: {} }, { metadata: { account: "../admins" } }]
  for (const change of [{ payment_status: "unpaid" }, ...others])
    expect(await deliver(topUp(account, "pi_9", change))).toBe(200)
  expect(await show(account)).toEqual(before)
})

test("a top-up that is refunded in parts is taken back in parts, to the credit", async () => {
  const account = await createAccount()
  const { bonus } = await show(account)
  await deliver(topUp(account, "pi_1"))
  const first = refundOf(account, 300, 0)
  for (const event of [first, first]) expect(await deliver(event)).toBe(200)
  expect((await show(account)).bonus).toBe(bonus + 667)
  await deliver(refundOf(account, 900, 300))
  expect((await show(account)).bonus).toBe(bonus)
})

test("a top-up that was spent before its refund is told to a person, and not asked for again", async () => {
  const account = await createAccount()
  const { bonus } = await show(account)
  await admin("POST", `/accounts/${account}/adjustments`, { body: { credits: -bonus, reason: "Spent" } })
  const logged: unknown[] = []
  const { error } = console
  console.error = (...given) => void logged.push(...given)
  try {
    expect(await deliver(refundOf(account, 900, 0))).toBe(200)
  } finally {
    console.error = error
  }
  expect(String(logged)).toMatch(/charge\.refunded evt_\d+: .* was refused with 409/)
  expect((await show(account)).bonus).toBe(0)
})

test("a subscription gives its plan, and its end takes it, in whatever order the events come", async () => {
  const account = await createAccount()
  const metadata = { account, plan: "pro" }
  const paid = (id: string) =>
    eventOf("invoice.paid", { object: "invoice", parent: { subscription_details: { subscription: id } } })
  subscriptions.set("sub_1", { status: "active", metadata })
  const done = {
    object: "checkout.session",
    mode: "subscription",
    payment_status: "paid",
    subscription: "sub_1",
    metadata,
  }
  expect(await deliver(eventOf("checkout.session.completed", done))).toBe(200)
  expect((await show(account)).plan).toBe("pro")
  await admin("PATCH", `/accounts/${account}`, { body: { plan: "free" } })
  expect(await deliver(paid("sub_1"))).toBe(200)
  expect((await show(account)).plan).toBe("pro")

  subscriptions.set("sub_1", { status: "canceled", metadata })
  expect(
    await deliver(eventOf("customer.subscription.deleted", { id: "sub_1", object: "subscription" })),
  ).toBe(200)
  expect((await show(account)).plan).toBe("free")
  expect(await deliver(paid("sub_1"))).toBe(200)
  expect((await show(account)).plan).toBe("free")
})

test("only Stripe's signature over these bytes, not older than five minutes, is accepted", async () => {
  const account = await createAccount()
  const before = await show(account)
  const payload = topUp(account, "pi_1")
  const old = Math.floor(Date.now() / 1_000) - 301
  const others = [{ secret: "whsec_other" }, { payload: `${payload} ` }, { timestamp: old }]
  for (const header of ["", ...(await Promise.all(others.map((more) => sign(payload, more))))])
    expect(await deliver(payload, header)).toBe(400)
  expect(await show(account)).toEqual(before)
})

test("when the service cannot be reached, Stripe is told to try again", async () => {
  const account = await createAccount()
  const { bonus } = await show(account)
  const away = createShopOf("http://127.0.0.1:9")
  const payload = topUp(account, "pi_1")
  const headers = { "stripe-signature": await sign(payload) }
  const { error } = console
  console.error = () => {}
  try {
    const request = new Request("http://shop.example/webhook", { method: "POST", headers, body: payload })
    expect((await away(request)).status).toBe(500)
  } finally {
    console.error = error
  }
  await deliver(payload)
  expect((await show(account)).bonus).toBe(bonus + 1_000)
})

test("the example and its test use the same version of Stripe's library", () =>
  expect(shopPackage.dependencies.stripe).toBe(packageJson.devDependencies.stripe))
