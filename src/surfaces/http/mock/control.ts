import { type AnyElysia, Elysia } from "elysia"
import { InputRejected } from "../../../apis/contract.ts"
import { Fault, toFault } from "../../../call/fault.ts"
import { toReply } from "../../../call/pipeline.ts"
import type { Brand } from "../../../config/brand.ts"
import { isForWebhooks } from "../../../mock/faults.ts"
import { defaultKey, magicKeys } from "../../../mock/keys.ts"
import type { MockState } from "../../../mock/state.ts"
import { findRequests, verify } from "../../../mock/verify.ts"
import type { Views } from "../../../mock/views.ts"
import { messageOf } from "../../../values/message-of.ts"
import { once } from "../../../values/once.ts"
import { toIso } from "../../../values/time-text.ts"
import { streamEvents } from "../admin/event-stream.ts"
import { createCallsInProgress } from "../calls.ts"
import { prefersPage, sendNegotiated } from "../page-routes.ts"
import { readObject, readText } from "../read/body.ts"
import type { Intake } from "../read/intake.ts"
import { parseQuery } from "../read/query.ts"
import { crossOrigin, fixedHeaders, ownAnswer, send } from "../reply/headers.ts"
import {
  type AnswerSettings,
  incomingRequests,
  MethodNotAllowed,
  methodsAt,
  pathOf,
  refusalOfPath,
} from "../request.ts"
import type { CheckedBy } from "../rest.ts"
import {
  controlSchemas,
  requireApi,
  requireExpectation,
  requireFault,
  requireStub,
  toInstant,
} from "./control-input.ts"
import { baseOf, maxSessions, type Sessions, sessionHeader } from "./sessions.ts"

export interface ControlParts {
  /** The current state. A reset replaces it. */
  readonly state: () => MockState
  readonly reset: () => Promise<void>
  readonly sessions: Pick<Sessions, "create" | "ids" | "end">
  /** The pages that show the current state. */
  readonly views: () => Views
  /** Whether a request comes from this machine, and calls it by a name or an address of its own. */
  readonly isLocal: (request: Request) => boolean
  readonly brand: Brand
  /** Reads a zone from YAML or JSON. Throws an Error that names the line that cannot be used. */
  readonly parseZone: (text: string) => Promise<MockState["dns"]["source"]>
  /** Reads replies of other hosts from YAML or JSON. Throws an Error that says which cannot be used. */
  readonly parseWebFixture: (text: string) => Promise<MockState["web"]["source"]>
  readonly requestIdFor: (headers: Headers) => string
  readonly intake: Intake
}

/** Everything under `/_mock`. Pages of any origin may call it, so that tests in a browser can steer the mock. */
export function controlApp(parts: ControlParts) {
  const { state, reset, sessions, views, isLocal, brand, parseZone, parseWebFixture, requestIdFor, intake } =
    parts
  const web = once(async () => (await import("../web/web-http.ts")).createWebHttp(brand))
  const json = ({ request }: { readonly request: Request }) => readObject(request, intake)
  const plain = ({ request }: { readonly request: Request }) => readText(request, intake)
  const noBody = { parse: plain, body: controlSchemas.noBody }
  const apis = () => new Map(state().apis.map(({ definition }) => [definition.id, definition]))
  const clock = () => ({
    now: toIso(state().clock.now()),
    mode: state().clockRunsOn ? "real" : "stopped",
  })
  const journal = () => {
    const { journal, pipeline } = state()
    return { ...journal.records(), pause: () => pipeline.scheduler.giveWay("/_mock") }
  }
  const faults = () => ({ faults: state().faults.list() })
  const stubs = () => ({ stubs: state().stubs.list() })
  const methods = (): ReturnType<typeof methodsOf> => methodsOf(app)
  const noControl = ({ url, method }: Request): Fault =>
    refusalOfPath(
      method,
      methodsAt(pathOf(url), app.routes).join(", "),
      () => `The control paths are ${[...methods().keys()].join(", ")}.`,
    )
  const open = ({ headers }: Request) => {
    const requestId = requestIdFor(headers)
    return { requestId, key: null, hasTwoKeys: false, address: () => "", hasLeft: () => false, startedMs: 0 }
  }

  const app = new Elysia({ name: "mock-control", strictPath: true })
    .headers(fixedHeaders)
    .use(incomingRequests(open))
    .use(crossOrigin("GET, PUT, POST, DELETE, OPTIONS"))
    .onError(async ({ error, code, request, set }) => {
      const thrown = code === "PARSE" ? error.cause : error
      const fault = code === "NOT_FOUND" ? noControl(request) : toFault(thrown)
      if (!(await intake.leave(request, false))) set.headers.connection = "close"
      if (fault instanceof MethodNotAllowed) set.headers.allow = fault.allow
      return send(toReply(fault), "json", set)
    })
    .onTransform((elysia: { readonly request: Request; query: unknown }) => {
      elysia.query = parseQuery(elysia.request.url)
    })
    .onAfterHandle(({ request }) => {
      if (request.method !== "GET") views().changed()
    })
    .guard({ query: controlSchemas.noQuery })
    .get("/_mock", async ({ request, set }) => {
      if (prefersPage(request)) {
        if (!isLocal(request)) throw new Fault("originForbidden", onlyHere)
        return sendNegotiated((await web()).pages.mock, request, set)
      }
      const paths = [...methods()].map(
        ([path, known]) => `${known.map(({ method }) => method).join(", ")} ${path}`,
      )
      return ok({ paths, keys: magicKeys }, set)
    })
    .get("/_mock/events", ({ request, set }) => {
      if (!isLocal(request)) throw new Fault("originForbidden", onlyHere)
      const { watch, changed } = views()
      const parts = { calls: createCallsInProgress(), pipeline: state().pipeline }
      set.headers["content-type"] = "text/event-stream"
      // Time and webhooks go on by themselves.
      const isStillAllowed = async () => {
        changed()
        return true
      }
      return new Response(streamEvents(watch, isStillAllowed, parts))
    })
    .get(
      "/_mock/requests",
      async ({ query, set }) => {
        if (query.api !== undefined) requireApi(query.api, apis())
        return ok(await findRequests(query, journal()), set)
      },
      { query: controlSchemas.filter },
    )
    .get("/_mock/faults", ({ set }) => ok(faults(), set))
    .get("/_mock/profile", ({ set }) => ok(state().faults.profile(), set))
    .get("/_mock/stubs", ({ set }) => ok(stubs(), set))
    .get("/_mock/clock", ({ set }) => ok(clock(), set))
    .get("/_mock/dns", ({ set }) => ok({ zone: state().dns.source }, set))
    .get("/_mock/web", ({ set }) => ok({ replies: state().web.source }, set))
    .get("/_mock/sessions", ({ request, set }) => {
      const shown = sessions.ids().map((id) => ({ id, url: sessionUrl(request, id) }))
      return ok({ sessions: shown, most: maxSessions }, set)
    })
    .get("/_mock/seed", async ({ set }) => {
      set.headers["content-type"] = "application/yaml; charset=utf-8"
      return state().seed()
    })
    .get("/_mock/mails", async ({ set }) => ok({ mails: await state().mails() }, set))
    .get("/_mock/notices", async ({ set }) => ok({ notices: await state().notices() }, set))
  change(puts, "/_mock/faults", { parse: json, body: controlSchemas.fault }, async (rule) => {
    const fault = requireFault(rule, apis())
    state().faults.put(fault)
    const isIdle = isForWebhooks(fault) && fault.times !== 0 && !(await state().sendsWebhooks())
    return { ...faults(), ...(isIdle && { note: noReceiver }) }
  })
  change(puts, "/_mock/profile", { parse: json, body: controlSchemas.profile }, ({ name }) => {
    state().faults.useProfile(name)
    return state().faults.profile()
  })
  change(puts, "/_mock/stubs", { parse: json, body: controlSchemas.stub }, (rule) => {
    state().stubs.put(requireStub(rule, apis()))
    return stubs()
  })
  change(puts, "/_mock/clock", { parse: json, body: controlSchemas.clock }, async (move) => {
    await state().setClock(toInstant(move, state().clock.now()))
    return clock()
  })
  change(puts, "/_mock/dns", { parse: plain, body: controlSchemas.fixtureText }, async (text) => {
    await useFixture("zone", text, parseZone, state().dns.replace)
    return { names: Object.keys(state().dns.source).length }
  })
  change(puts, "/_mock/web", { parse: plain, body: controlSchemas.fixtureText }, async (text) => {
    await useFixture("replies", text, parseWebFixture, state().web.replace)
    return { urls: Object.keys(state().web.source).length }
  })
  for (const list of ["notices", "mails"] as const)
    change(puts, `/_mock/${list}/:id/resend`, noBody, (_, { params: { id = "" } }) =>
      state().resend(list, id),
    )

  for (const name of ["faults", "stubs"] as const)
    change(["DELETE"], `/_mock/${name}`, noBody, () => {
      state()[name].clear()
      return { [name]: state()[name].list() }
    })
  change(["POST"], "/_mock/sessions", noBody, (_, { request }) => {
    const id = sessions.create()
    const { webhook } = state()
    return { id, url: sessionUrl(request, id), header: sessionHeader, key: defaultKey, webhook }
  })
  change(["DELETE"], "/_mock/sessions/:id", noBody, (_, { params: { id = "" } }) =>
    sessions.end(id).then(() => ({})),
  )
  change(["DELETE"], "/_mock/requests", noBody, () => {
    state().journal.clear()
    return { requests: [], total: 0, dropped: 0 }
  })
  app.post(
    "/_mock/verify",
    async ({ body, set }) => {
      const { outcome, text } = await verify(requireExpectation(body, apis()), journal(), state().notices)
      if (outcome === "met") return ok({ text }, set)
      const [status, code] = outcome === "unmet" ? [417, "notAsExpected"] : [409, "notKept"]
      return send(ownAnswer(status, { error: text, code }), "json", set)
    },
    { parse: json, body: controlSchemas.verify },
  )
  change(["POST"], "/_mock/reset", noBody, () => reset().then(() => ({})))
  return app

  /** Adds a path that changes something. */
  function change<Read>(
    methods: readonly ("PUT" | "POST" | "DELETE")[],
    path: string,
    hooks: { readonly parse: typeof json | typeof plain; readonly body: CheckedBy<Read> },
    run: (read: Read, sent: { request: Request; params: Record<string, string> }) => object | Promise<object>,
  ): void {
    for (const method of methods)
      app.route(
        method,
        path,
        async ({ body, set, request, params }) => ok(await run(body as Read, { request, params }), set),
        hooks,
      )
  }
}

/** `POST` works as `PUT` does, since some clients send nothing else. */
const puts = ["PUT", "POST"] as const

const onlyHere =
  "The page opens on the machine of the test double alone, at a loopback address. Its control paths can be called from here."

const noReceiver =
  "No account has a webhook on this machine, so this fault acts on nothing yet. Start with --webhook URL, or set one by the admin API."

function ok(data: object, set: AnswerSettings): string {
  return send(ownAnswer(200, { data }), "json", set)
}

/** The address of a session below the one that the client used, which may be that of a proxy. */
function sessionUrl({ url, headers }: Request, id: string): string {
  return `${new URL(url).protocol}//${headers.get("host")}${baseOf(id)}`
}

/** The methods of each control path, without those of the cross-origin plugin. */
function methodsOf({ routes }: Pick<AnyElysia, "routes">) {
  const shown = routes.filter(({ method }) => method !== "OPTIONS")
  return Map.groupBy(shown, ({ path }) => path.replace(/:(\w+)/g, "{$1}"))
}

/** Replaces a fixture by what a body says. An empty file is a fixture without entries; an empty body is a mistake. */
async function useFixture<Fixture extends object>(
  parameter: "zone" | "replies",
  text: string,
  parse: (text: string) => Promise<Fixture>,
  replace: (fixture: Fixture) => void,
): Promise<void> {
  try {
    const fixture = await parse(text)
    if (Object.keys(fixture).length === 0 && !text.includes("{")) {
      const meaning = parameter === "zone" ? "a zone without names" : "no replies at all"
      throw new Error(`it is empty; {} is ${meaning}`)
    }
    replace(fixture)
  } catch (thrown) {
    throw new InputRejected(parameter, `cannot be used: ${messageOf(thrown).replace(/\.$/, "")}`)
  }
}
