import { AsyncLocalStorage } from "node:async_hooks"
import { holdsKey, shortenKeys } from "../../../accounts/key.ts"
import { secretsOf, type Timer } from "../../../apis/contract.ts"
import { Fault } from "../../../call/fault.ts"
import { toReply } from "../../../call/pipeline.ts"
import type { PreparedApi } from "../../../call/prepared-api.ts"
import type { Target } from "../../../mock/faults.ts"
import { maxBodyCharacters, shownKey, toMessage } from "../../../mock/journal.ts"
import { toMagicKey } from "../../../mock/keys.ts"
import {
  frontStatus,
  injectAtAdmission,
  type RequestEffects,
  runRequest,
  thisRequest,
} from "../../../mock/request-effects.ts"
import type { MockState } from "../../../mock/state.ts"
import { createViews, type Views } from "../../../mock/views.ts"
import { createSecretFilter } from "../../../mock/without-secrets.ts"
import { hostIn, isLoopback } from "../../../values/ip.ts"
import { standIn } from "../../../values/stand-in.ts"
import { toIso } from "../../../values/time-text.ts"
import { createHttpApp } from "../app.ts"
import { createClosing } from "../calls.ts"
import { listen } from "../listener.ts"
import { createIntake } from "../read/intake.ts"
import { parseQuery } from "../read/query.ts"
import { negotiateFormat } from "../reply/format.ts"
import { type Answer, exposedHeaders, fixedHeaders, ownAnswer, send } from "../reply/headers.ts"
import {
  type AnswerSettings,
  createListeningApp,
  createRequestIds,
  pathAndQueryOf,
  pathOf,
  type RequestIds,
  sentKey,
} from "../request.ts"
import { type HttpOptions, reachable, urlOf } from "../server.ts"
import { type ControlParts, controlApp } from "./control.ts"
import { createDelays, editAnswer, type ReadAnswer } from "./delays.ts"
import { controlPaths, createSessions, endOfCookie, takeSession, toPages } from "./sessions.ts"
import { targetOf } from "./targets.ts"

interface MockServerParts {
  /** Makes the state of a start, for the mock or for a session. */
  readonly createState: (serving: Serving) => Promise<MockState>
  readonly parseZone: ControlParts["parseZone"]
  readonly parseWebFixture: ControlParts["parseWebFixture"]
  /** The program that runs. */
  readonly program: { readonly version: string; readonly commit: string | null }
  readonly timer: Timer
}

/** Where the server answers from a state. */
export interface Serving {
  /** The address that clients use, with the base path of a session; null if it is {@link Serving.url}. */
  readonly publicUrl: string | null
  /** The address of the server, known as soon as it listens. */
  url(): string
  /** The requests in progress that the state answers. */
  openRequests(): number
}

/** The shared mock, or a session. */
interface Place {
  /** The path that its paths begin with, such as `/s/1`; empty for the shared mock. */
  readonly base: string
  instance: Instance
}

/** Everything that a reset replaces. */
interface Instance {
  readonly state: MockState
  readonly views: Views
  readonly publicUrl: string | null
  readonly requestIdFor: RequestIds
  /** For answers that are given before the service's own routes. */
  readonly frontIdFor: RequestIds
  /** Apart from the others, so that looking at the journal changes no later answer. */
  readonly controlIdFor: RequestIds
  readonly requests: { inProgress: number }
  ended: boolean
}

/** A header that only the test double sends, for those who write the test. */
const hintHeader = "mock-hint"

/** Paths that the journal leaves out: monitors, which would hide the rest, and the watch of requests, which never ends. */
const unrecorded =
  /^\/(?:|health|ready|metrics|openapi\.json|llms\.txt|favicon\.ico|robots\.txt|admin\/v1\/requests|(?:apis|check|docs|graphiql|openapi|assets|console|portal|unsubscribe|\.well-known)(?:\/.*)?)$/

/** Pages and documents in which the address of the service stands. */
const documents = /^\/(?:|llms\.txt|(?:apis|check|docs|openapi|\.well-known)(?:[/.].*)?)$/

/** Starts the service behind the mock's control paths, journal and faults. A reset replaces the whole state. */
export async function startMockServer(parts: MockServerParts, options: HttpOptions) {
  const { timer } = parts
  const delays = createDelays(timer)
  const intake = createIntake(options.maxBodyBytes, options.bodyTimeoutMs, timer)
  /** The place that the control request in progress is about. */
  const controlled = new AsyncLocalStorage<Place>()
  const shared = await openPlace("")
  const { apis, guests } = shared.instance.state
  const byId = new Map(apis.map((api) => [api.definition.id, api]))
  const withoutSecrets = createSecretFilter(apis.map(({ definition }) => definition))
  const sessions = createSessions<Place>({
    ...{ open: openPlace, close: ({ instance }: Place) => end(instance), timer },
    onProblem: (cause) =>
      shared.instance.state.pipeline.log.warn("an idle session was not closed", { cause: String(cause) }),
  })
  const place = () => controlled.getStore() ?? shared
  const service = createServiceApp(options.publicUrl)
  const control = controlApp({
    state: () => place().instance.state,
    reset: () => reset(place()),
    sessions,
    views: () => place().instance.views,
    // The name of another site may lead here (DNS rebinding).
    isLocal: (request) =>
      isLoopback(app.server?.requestIP(request)?.address ?? "") &&
      isLoopback(hostIn(`http://${request.headers.get("host")}`)),
    brand: options.brand,
    parseZone: parts.parseZone,
    parseWebFixture: parts.parseWebFixture,
    requestIdFor: (headers) => idFor(headers, place().instance.controlIdFor),
    intake,
  })
  const app = createListeningApp().all("/*", ({ request }) => serve(request), { parse: "none" })
  // Not shared: the tests of one job would reach the mock of another. Never idle: a delay may be longer than any limit.
  const listener = listen(app, { ...options, shared: false, idleSeconds: 0 }, timer)
  const address = urlOf(options.host, listener.port, options.tls !== null)
  // Only one of the apps listens; the other asks its server for the addresses of clients.
  service.server = app.server

  async function openPlace(base: string): Promise<Place> {
    return { base, instance: await open(base) }
  }

  async function open(base: string): Promise<Instance> {
    const requests = { inProgress: 0 }
    const publicUrl = base === "" ? options.publicUrl : `${options.publicUrl ?? reachable(address)}${base}`
    const serving = { publicUrl, url: () => address, openRequests: () => requests.inProgress }
    const state = await parts.createState(serving)
    const views = createViews(state, timer, () => (base === "" ? sessions.ids() : []))
    const ids = () => createRequestIds(state.random, holdsAnyKey)
    const idsOfKinds = { requestIdFor: ids(), frontIdFor: ids(), controlIdFor: ids() }
    return { state, views, publicUrl, ...idsOfKinds, requests, ended: false }
  }

  /** Makes the service, whose parts are those of the state that answers the request in progress: its routes take a megabyte. */
  function createServiceApp(publicUrl: string | null) {
    const present = standIn(shared.instance.state, (work) => work(thisRequest().state))
    const { admin, pipeline, observer, readMetrics, ping } = present
    const admission = injectAtAdmission(pipeline.admission)
    return createHttpApp(
      {
        ...{ apis, guests, admin, portal: admin, unsubscribes: admin.unsubscribes, readMetrics, ping },
        ...{ ...parts.program, requestIdFor: (sent, key) => thisRequest().requestIdFor(sent, key) },
        // Its timers may go on after a request.
        pipeline: { ...pipeline, admission, ports: { ...pipeline.ports, timer } },
        observer: {
          nowMs: observer.nowMs,
          recorderFor: (api, surface) => (start, end) =>
            thisRequest().state.observer.recorderFor(api, surface)(start, end),
        },
      },
      {
        ...{ ...options, publicUrl, trustedProxies: [], maxCalls: Number.POSITIVE_INFINITY },
        ...{ metricsToken: null, closing: createClosing(timer), strict: false },
      },
    )
  }

  async function reset(place: Place): Promise<void> {
    const next = await open(place.base)
    const before = place.instance
    place.instance = next
    // The session may have ended meanwhile.
    if (before.ended) await end(next)
    else await end(before)
  }

  async function end(ending: Instance): Promise<void> {
    ending.ended = true
    ending.state.endWatches()
    ending.views.end()
    if (ending.requests.inProgress === 0) await ending.state.close()
  }

  async function serve(request: Request): Promise<Response> {
    try {
      const { id, opensPage } = takeSession(request)
      if (id === null) return await serveAt(shared, request)
      return await sessions.use(id, async (place) =>
        opensPage ? toPages(id, request) : serveAt(place, request),
      )
    } catch (thrown) {
      if (!(thrown instanceof Fault)) throw thrown
      const refusal = await answerInFront(toReply(thrown), request, shared.instance.controlIdFor)
      refusal.headers.append("set-cookie", endOfCookie)
      return refusal
    }
  }

  async function serveAt(place: Place, request: Request): Promise<Response> {
    const path = pathOf(request.url)
    if (controlPaths.test(path)) return controlled.run(place, () => control.fetch(request))
    const current = place.instance
    current.requests.inProgress++
    try {
      return await answerAndRecord(request, path, current)
    } finally {
      current.requests.inProgress--
      current.views.changed()
      if (current.ended && current.requests.inProgress === 0) await current.state.close()
    }
  }

  async function answerAndRecord(request: Request, path: string, current: Instance): Promise<Response> {
    const { state, requestIdFor, publicUrl } = current
    const plain: RequestEffects = { state, requestIdFor, fault: null, stubs: [] }
    if (unrecorded.test(path)) {
      // Documents name the address of their session: each of them is made by a service of its own, which is not kept.
      const isOwn = publicUrl !== options.publicUrl && documents.test(path)
      const answering = isOwn ? createServiceApp(publicUrl) : service
      return runRequest(plain, () => answering.fetch(request))
    }
    const at = toIso(state.clock.now())
    const asked = await bodyOf(request, options.maxBodyBytes)
    const target = await targetOf(request, path, asked, byId)
    const fault = target && state.faults.take(target)
    const answer = await answerWithEffects(request, target, { ...plain, fault }, current)
    const key = sentKey(request.headers)
    const headers = requestHeaders(request.headers)
    const shown = withoutSecrets({ path: pathAndQueryOf(request.url), body: asked })
    const entry = {
      at,
      method: request.method,
      path: shown.path,
      apis: target?.apis ?? [],
      key: key === null ? null : shownKey(key),
      fault: fault?.effects ?? null,
      request: toMessage(headers, shown.body),
      response: answer && {
        status: answer.status,
        ...toMessage(Object.fromEntries(answer.headers), withoutLinks(answer.body)),
      },
    }
    state.journal.add(entry, asked.length > maxBodyCharacters ? null : keptInputs(target, byId))
    if (answer === null) return resetConnection()
    const { status, headers: answerHeaders, body } = answer
    const effects = fault?.effects ?? {}
    const isPaced = effects.hang || effects.bytes_per_second !== undefined
    const sent = status === 204 ? null : isPaced ? delays.toBody(body, effects) : body
    return new Response(sent, { status, headers: answerHeaders })
  }

  /** The answer as faults and stubs change it; null when the connection is reset. */
  async function answerWithEffects(
    request: Request,
    target: Target | null,
    effects: RequestEffects,
    { frontIdFor }: Instance,
  ): Promise<ReadAnswer | null> {
    const { fault, state } = effects
    const { delay_ms, reset } = fault?.effects ?? {}
    if (delay_ms !== undefined) await delays.wait(delay_ms)
    if (reset) return null
    const status = fault && frontStatus(fault, target?.apis ?? [])
    return runRequest(effects, async () => {
      const response = await (status === null
        ? service.fetch(request)
        : answerInFront(faultAnswer(status), request, frontIdFor))
      const hint = clockHint(response, state)
      if (hint !== null) response.headers.set(hintHeader, hint)
      return editAnswer(response, effects)
    })
  }

  /** Answers as a proxy in front of the service would; the service does not get the request. */
  async function answerInFront(answer: Answer, request: Request, requestIdFor: RequestIds) {
    const { format } = negotiateFormat(request, parseQuery(request.url))
    const set: AnswerSettings = {
      headers: { ...frontHeaders, "x-request-id": idFor(request.headers, requestIdFor) },
    }
    const body = send(answer, format, set)
    if (!(await intake.leave(request, false))) set.headers.connection = "close"
    return new Response(body, { status: answer.status, headers: set.headers as Record<string, string> })
  }

  return {
    url: address,
    openRequests: listener.openRequests,
    seed: () => shared.instance.state.seed(),
    /** Answers a request that changes nothing, so that the first one of a test does not wait for routes to be compiled: 6 ms. */
    async warmUp(): Promise<void> {
      const headers = { "x-request-id": "warm-up" }
      await app.fetch(new Request(`${address}/_mock/clock`, { headers }))
    },
    async stop(graceMs: number) {
      delays.end()
      shared.instance.state.endWatches()
      shared.instance.views.end()
      await Promise.all(sessions.ids().map(sessions.end))
      await listener.stop(graceMs)
      await end(shared.instance)
    },
  }
}

function faultAnswer(status: number): Answer {
  return ownAnswer(status, { code: "mockFault", error: `A fault of the mock answers with ${status}.` })
}

/** Says how to move the clock, if an answer asks to wait and waiting would not help. No clock ends the cause of a 503. */
function clockHint({ status, headers }: Response, { clockRunsOn }: MockState): string | null {
  const seconds = headers.get("retry-after")
  if (clockRunsOn || seconds === null || status === 503) return null
  return `the clock stands still: PUT /_mock/clock {"advance": "${seconds}s"}, or start with --clock real`
}

/** A key of a real service, sent here by mistake, or one of the mock. */
const holdsAnyKey = (text: string) => holdsKey(text) || toMagicKey(text) !== null

function idFor(headers: Headers, requestIdFor: RequestIds): string {
  return requestIdFor(headers.get("x-request-id"), sentKey(headers))
}

/** Headers that the service sets on every answer. */
const frontHeaders = {
  "access-control-allow-origin": "*",
  "access-control-expose-headers": exposedHeaders,
  ...fixedHeaders,
}

/** A body that fails before its first byte: Bun then resets the connection (RST) without a status line. */
function resetConnection(): Response {
  return new Response(new ReadableStream({ start: (controller) => controller.error() }))
}

/** The body of an answer without the tokens of links that sign in: a reader of the journal could use them first. */
function withoutLinks(body: string): string {
  return body.includes("#token=") ? shortenKeys(body) : body
}

/** Headers of requests that the journal shortens: their keys and other credentials may be real, sent here by mistake. */
const shortened: Readonly<Record<string, (value: string) => string>> = {
  ...{ "x-api-key": shownKey, "x-admin-key": shownKey, "x-csrf-token": () => "…" },
  authorization: (value) => value.replace(/(?<![^ ])[^ ]+ *$/, shownKey),
}

function requestHeaders(headers: Headers): Record<string, string> {
  const kept = [...headers].map(([name, value]) => [name, (shortened[name] ?? String)(shortenKeys(value))])
  return Object.fromEntries(kept)
}

/** The inputs of a call by API, as JSON without secrets; null when they are too long to keep. */
function keptInputs(target: Target | null, byId: ReadonlyMap<string, PreparedApi>): string | null {
  const inputs = (target?.apis ?? []).map((id) => {
    const definition = byId.get(id)?.definition
    const hidden = (definition ? secretsOf(definition) : []).map((name) => ({ [name]: undefined }))
    return [id, target?.inputsOf(id).map((input) => Object.assign({}, input, ...hidden))]
  })
  const text = JSON.stringify(Object.fromEntries(inputs))
  return text.length > maxBodyCharacters ? null : text
}

/** Reads a copy of a request's body as text. Reads at most `maxBytes`, so that no body can fill the memory. */
async function bodyOf(request: Request, maxBytes: number): Promise<string> {
  const reader = request.clone().body?.getReader()
  if (!reader) return ""
  const chunks: Uint8Array[] = []
  let bytes = 0
  try {
    while (bytes <= maxBytes) {
      const { done, value } = await reader.read()
      if (done) break
      chunks.push(value)
      bytes += value.byteLength
    }
    // Not awaited: of two readers of one body, the first cancellation ends with the second.
    reader.cancel().catch(() => {})
  } catch {
    // The client hung up. The service answers that.
  }
  return Buffer.concat(chunks).toString("utf8")
}
