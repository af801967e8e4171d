/** Input of browsers for passkeys: the JSON forms of WebAuthn §5.1, without the parts that the service does not use. */
import { Type } from "@sinclair/typebox"
import { createSecret } from "../../../accounts/key.ts"
import type { AdminAccess } from "../../../admin/admin-access.ts"
import { invalid } from "../../../admin/fault.ts"
import { challengeMs, type PasskeySite } from "../../../admin/passkeys/ceremonies.ts"
import { httpLimits } from "../read/limits.ts"
import type { Exchange } from "../request.ts"
import { type BrowserRouteParts, browserRoutes } from "./browser-routes.ts"
import { isSecurePage, requirePasskeySite, setSessionCookie } from "./browser-sessions.ts"
import { requireSession } from "./caller.ts"
import { prefixes } from "./operation-routes.ts"

/** Binary data in base64url, far longer than any authenticator sends without attestation. */
const bytes = Type.String({ minLength: 1, maxLength: 6_000, pattern: "^[A-Za-z0-9_-]+$" })
const credential = {
  id: bytes,
  rawId: bytes,
  type: Type.Literal("public-key"),
  clientExtensionResults: Type.Object({}),
}

/** A passkey's signed answer, for a sign-in. */
export const signedSchema = Type.Object({
  ...credential,
  response: Type.Object({
    clientDataJSON: bytes,
    authenticatorData: bytes,
    signature: bytes,
    userHandle: Type.Optional(bytes),
  }),
})

/** A passkey's name may be as long as a key's. */
const maxNameLength = 200

/** A new passkey with its name. */
const madeSchema = Type.Object(
  {
    name: Type.String({ minLength: 1, maxLength: maxNameLength }),
    passkey: Type.Object({
      ...credential,
      response: Type.Object({
        clientDataJSON: bytes,
        attestationObject: bytes,
        transports: Type.Optional(Type.Array(Type.String({ maxLength: 20 }), { maxItems: 10 })),
      }),
    }),
  },
  { additionalProperties: false },
)

/** The purpose of a challenge. */
const challengeSchema = Type.Object(
  { for: Type.Union([Type.Literal("sign_in"), Type.Literal("add")]) },
  { additionalProperties: false },
)

/** The routes by which a page of the console asks for a challenge, and adds the passkey that a browser has made. */
export function passkeyRoutes(parts: BrowserRouteParts & { readonly access: Pick<AdminAccess, "passkeys"> }) {
  const { context, browser, rate } = parts
  const { passkeys } = parts.access
  const { app, parse, answer } = browserRoutes(parts, {
    operation: "console.passkeys",
    surface: "admin",
    bodyBytes: httpLimits.passkeyBodyBytes,
    wrong: { body: badInput },
  })
  const requireActor = (exchange: Exchange) => requireSession(exchange, { browser }, { kind: "console" })

  /** The options of a sign-in, with a challenge that only this browser can use. */
  async function signInOptions(site: PasskeySite, { request, set, incoming }: Exchange) {
    // Anyone may ask, and each challenge is a row in the store for five minutes.
    rate.take(`passkeys of ${incoming.address()}`)
    const cookie = createSecret("sessionToken", context.pipeline.ports.random)
    setSessionCookie(set, "passkey", cookie, challengeMs, isSecurePage(request, context))
    return passkeys.signInOptions(site, cookie)
  }

  return app
    .post(
      `${prefixes.console.session}/challenge`,
      ({ request, set, incoming, body }) =>
        answer({ request, set, incoming }, async (exchange) => {
          const site = requirePasskeySite(request, context)
          const isNew = body.for === "add"
          const options = isNew
            ? await passkeys.addOptions(await requireActor(exchange), site)
            : await signInOptions(site, exchange)
          return { status: 200, body: options }
        }),
      { parse, body: challengeSchema, detail: { summary: "A challenge for a passkey", tags } },
    )
    .post(
      `${prefixes.console.session}/passkeys`,
      ({ request, set, incoming, body }) =>
        answer({ request, set, incoming }, async (exchange) => {
          const actor = await requireActor(exchange)
          const passkey = body.passkey as Parameters<typeof passkeys.add>[3]
          const added = await passkeys.add(actor, requirePasskeySite(request, context), body.name, passkey)
          return { status: 201, body: added, actor }
        }),
      { parse, body: madeSchema, detail: { summary: "Add a passkey", tags } },
    )
}

const tags = ["administration"]

const badInput = invalid(
  "body",
  'Send {"for": "sign_in"} or {"for": "add"} for a challenge, and {"name": "…", "passkey": {…}} to add the passkey that the browser made.',
)
