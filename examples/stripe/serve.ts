/** Starts the shop. README.md says what its settings are. */
import Stripe from "stripe"
import { createShop, type Offer } from "./shop.ts"

function setting(name: string): string {
  const value = process.env[name]
  if (!value) throw new Error(`The environment variable ${name} must be set.`)
  return value
}

const offers: Record<string, Offer> = JSON.parse(setting("OFFERS"))

const server = Bun.serve({
  port: Number(process.env.PORT ?? 8090),
  fetch: createShop({
    stripe: new Stripe(setting("STRIPE_SECRET_KEY")),
    webhookSecret: setting("STRIPE_WEBHOOK_SECRET"),
    penknife: { url: setting("PENKNIFE_URL"), adminKey: setting("PENKNIFE_ADMIN_KEY") },
    offers,
    freePlan: process.env.FREE_PLAN ?? "free",
    returnUrl: setting("RETURN_URL"),
  }),
})
console.log(`The shop listens on ${server.url}`)
