import type { ApiDefinition } from "../../../apis/contract.ts"
import { frontStatus, runWithFault } from "../../../mock/active-fault.ts"
import { toBrokenBody } from "../../../mock/broken-body.ts"
import type { ActiveFault, Target } from "../../../mock/faults.ts"
import { type JournalEntry, shownKey, toMessage } from "../../../mock/journal.ts"
import type { MockWorld } from "../../../mock/world.ts"
import { afterBody } from "../drain.ts"
import { createHttpApp } from "../http-app.ts"
import { createIntake } from "../intake.ts"
import { parseQuery } from "../query.ts"
import { createRequestIds } from "../request-id.ts"
import { negotiateFormat, respond } from "../respond.ts"
import { type HttpServer, toHttpServer } from "../server.ts"
import { bodyOf } from "./body-of.ts"
import { type ControlParts, createControl, isControlPath } from "./control.ts"
import { createDelays } from "./delays.ts"
import { targetOf } from "./targets.ts"

export interface MockServerParts {
  /** Makes a world as it is at the start. */
  readonly createWorld: () => Promise<MockWorld>
  readonly parseZone: ControlParts["parseZone"]
  readonly version: string
}

export interface MockServerOptions {
  readonly host: string
  readonly port: number
  /** PEM texts. */
  readonly tls: { readonly cert: string; readonly key: string } | null
  readonly maxBodyBytes: number
  readonly bodyTimeoutMs: number
  readonly graphql: boolean
}

/** What is up until the next reset. */
interface Stage {
  readonly world: MockWorld
  readonly app: ReturnType<typeof createHttpApp>
  readonly apiIds: ReadonlySet<ApiDefinition["id"]>
  /** For answers that are given before the service's own routes. */
  readonly frontIdFor: (incoming: string | null) => string
  /** Apart from the others, so that looking at the journal changes no later answer. */
  readonly controlIdFor: (incoming: string | null) => string
  underWay: number
  ended: boolean
}

/** Paths that are looked at by machines all the time, and the documentation; a journal of them would hide the rest. */
const unwritten = /^\/(?:health|ready|metrics|openapi\.json|docs(?:\/.*)?)$/

/**
 * Starts the service with the control paths, the journal and the faults before it. Everything that a reset undoes is in
 * one world, so that it is undone by taking a new one.
 */
export async function startMockServer(
  parts: MockServerParts,
  options: MockServerOptions,
): Promise<HttpServer> {
  const delays = createDelays()
  const intake = createIntake(options.maxBodyBytes, options.bodyTimeoutMs)
  let stage = await open()
  const control = createControl({
    world: () => stage.world,
    reset,
    parseZone: parts.parseZone,
    requestIdFor: (incoming) => stage.controlIdFor(incoming),
    intake,
  })
  const server = Bun.serve({
    hostname: options.host,
    port: options.port,
    // Bun shares a port once Elysia is there, unless it is told not to: the test of one job would reach the mock of another.
    reusePort: false,
    development: false,
    // A delay may be longer than any limit.
    idleTimeout: 0,
    // Our own limit answers with an envelope; the platform's would answer with nothing.
    maxRequestBodySize: Number.MAX_SAFE_INTEGER,
    ...(options.tls && { tls: options.tls }),
    fetch: answer,
  })
  stage.app.server = server
  const listening = toHttpServer(server, options)

  async function open(): Promise<Stage> {
    const world = await parts.createWorld()
    const { apis, road, random, observer } = world
    const app = createHttpApp(
      {
        apis,
        road,
        random,
        observer,
        readMetrics: () => world.readMetrics(),
        ping: () => world.ping(),
        version: parts.version,
      },
      {
        ...options,
        trustedProxies: [],
        maxCalls: Number.POSITIVE_INFINITY,
        metricsToken: null,
        strict: false,
      },
    )
    return {
      world,
      app,
      apiIds: new Set(apis.map(({ definition }) => definition.id)),
      frontIdFor: createRequestIds(random),
      controlIdFor: createRequestIds(random),
      underWay: 0,
      ended: false,
    }
  }

  async function reset(): Promise<void> {
    const next = await open()
    next.app.server = server
    const before = stage
    stage = next
    await end(before)
  }

  async function end(ending: Stage): Promise<void> {
    ending.ended = true
    if (ending.underWay === 0) await ending.world.close()
  }

  async function answer(request: Request): Promise<Response> {
    const path = pathOf(request.url)
    if (isControlPath(path)) return afterBody(request, control(request, path), intake)
    const current = stage
    current.underWay++
    try {
      return await witness(request, path, current)
    } finally {
      current.underWay--
      if (current.ended && current.underWay === 0) await current.world.close()
    }
  }

  /** Answers, and writes down what was asked and answered. */
  async function witness(request: Request, path: string, current: Stage): Promise<Response> {
    if (unwritten.test(path)) return current.app.fetch(request)
    const { world } = current
    const at = new Date(world.clock.now()).toISOString()
    const asked = await bodyOf(request, options.maxBodyBytes)
    const target = await targetOf(request, path, asked, current.apiIds)
    const fault = target && world.faults.take(target)
    const response = await underStrike(request, target, fault, current)
    const body = response && (await response.text())
    world.journal.add({
      at,
      method: request.method,
      path: request.url.slice(request.url.indexOf(path)),
      apis: target?.apis ?? [],
      key: keyOf(request),
      fault: fault && toFaultEntry(fault),
      request: toMessage(headersOf(request.headers), asked),
      response: response && {
        status: response.status,
        ...toMessage(headersOf(response.headers), body ?? ""),
      },
    })
    if (response === null) return resetConnection()
    const { status, headers } = response
    return new Response(status === 204 ? null : body, { status, headers })
  }

  /** What the service answers under a fault; null where the connection is to be reset. */
  async function underStrike(
    request: Request,
    target: Target | null,
    fault: ActiveFault | null,
    current: Stage,
  ): Promise<Response | null> {
    if (fault === null) return current.app.fetch(request)
    if (fault.delayMs > 0) await delays.wait(fault.delayMs)
    if (fault.reset) return null
    const status = frontStatus(fault, target?.apis ?? [])
    const response =
      status === null
        ? await runWithFault(fault, () => current.app.fetch(request))
        : await afterBody(request, answerInFront(status, request, current), intake)
    return fault.malformed ? breakBody(response) : response
  }

  return {
    ...listening,
    async stop(graceMs) {
      delays.end()
      await listening.stop(graceMs)
      await end(stage)
    },
  }
}

/** As a proxy before the service would answer: the service hears nothing of it. */
function answerInFront(status: number, request: Request, { frontIdFor }: Stage): Response {
  const requestId = frontIdFor(request.headers.get("x-request-id"))
  const { format } = negotiateFormat(request, parseQuery(request.url))
  const error = `A fault of the mock answers with ${status}.`
  return respond(
    { status, envelope: { status: "error", error, data: null }, headers: {}, stable: {} },
    format,
    {
      request,
      requestId,
    },
  )
}

async function breakBody(response: Response): Promise<Response> {
  const { status, headers } = response
  return new Response(toBrokenBody(await response.text()), { status, headers })
}

/** A body that fails before its first octet: Bun then resets the connection (RST) without a status line. */
function resetConnection(): Response {
  return new Response(
    new ReadableStream({
      start(controller) {
        controller.error()
      },
    }),
  )
}

function toFaultEntry({ statuses, delayMs, reset, malformed }: ActiveFault): JournalEntry["fault"] {
  const [status] = statuses.values()
  return {
    ...(status !== undefined && { status }),
    ...(delayMs > 0 && { delay_ms: delayMs }),
    ...(reset && { reset }),
    ...(malformed && { malformed }),
  }
}

function headersOf(headers: Headers): Record<string, string> {
  const entries = Object.fromEntries(headers)
  const key = entries["x-api-key"]
  return key === undefined ? entries : { ...entries, "x-api-key": shownKey(key) }
}

function keyOf(request: Request): string | null {
  const key = request.headers.get("x-api-key")
  return key === null ? null : shownKey(key)
}

/** The path of an absolute URL, as it was sent. */
function pathOf(url: string): string {
  const start = url.indexOf("/", url.indexOf("://") + 3)
  if (start === -1) return "/"
  const end = url.indexOf("?", start)
  return end === -1 ? url.slice(start) : url.slice(start, end)
}
