import { Elysia } from "elysia"
import { InputRejected, type Timer } from "../../../apis/contract.ts"
import { Fault, toFault } from "../../../call/fault.ts"
import { toReply } from "../../../call/pipeline.ts"
import { magicKeys } from "../../../mock/keys.ts"
import type { MockState } from "../../../mock/state.ts"
import { messageOf } from "../../../values/message-of.ts"
import { toIso } from "../../../values/time-text.ts"
import { readObject, readText } from "../body.ts"
import { crossOrigin } from "../cross-origin.ts"
import { drainBody } from "../drain.ts"
import { incomingRequests } from "../incoming.ts"
import type { Intake } from "../intake.ts"
import { MethodNotAllowed } from "../paths.ts"
import { parseQuery } from "../query.ts"
import { fixedHeaders, ownAnswer, send } from "../reply.ts"
import { pathOf } from "../request-url.ts"
import { readClock, readFault, readFilter, readStub, requireNoBody, requireNothing } from "./control-input.ts"

export interface ControlParts {
  /** The current state. A reset replaces it. */
  readonly state: () => MockState
  readonly reset: () => Promise<void>
  /** Reads a zone from YAML or JSON. Throws an Error that names the line that cannot be used. */
  readonly parseZone: (text: string) => Promise<MockState["dns"]["zone"]>
  readonly requestIdFor: (headers: Headers) => string
  readonly intake: Intake
  readonly timer: Timer
}

type Handle = (request: Request, state: MockState) => object | Promise<object>
type Methods = Readonly<Record<string, Handle>>
type Routes = Readonly<Record<string, Methods>>

/** Everything under `/_mock`. Pages of any origin may call it, so that tests in a browser can steer the mock. */
export function controlApp(parts: ControlParts) {
  const routes = createRoutes(parts)
  const open = ({ headers }: Request) => {
    const requestId = parts.requestIdFor(headers)
    return { requestId, key: null, hasTwoKeys: false, address: () => "", hasLeft: () => false, startedMs: 0 }
  }
  const app = new Elysia({ name: "mock-control", strictPath: true })
    .headers(fixedHeaders)
    .use(incomingRequests(open))
    .use(crossOrigin("GET, PUT, POST, DELETE, OPTIONS"))
    .onError(async ({ error, code, request, set }) => {
      const fault = code === "NOT_FOUND" ? noControl(request, routes) : toFault(error)
      if (!(await drainBody(request, parts.intake, parts.timer))) set.headers.connection = "close"
      if (fault instanceof MethodNotAllowed) set.headers.allow = fault.allow
      return send(toReply(fault), "json", set)
    })
  for (const [path, methods] of Object.entries(routes)) {
    for (const [method, handle] of Object.entries(methods)) {
      const run = async (request: Request) => {
        await requireReadable(request, path, parts.intake)
        return ownAnswer(200, { data: await handle(request, parts.state()) })
      }
      app.route(method, path, async ({ request, set }) => send(await run(request), "json", set), {
        parse: "none",
        detail: { summary: `${method} ${path}`, tags: ["mock"] },
      })
    }
  }
  return app
}

/** Refuses a query or body that the path does not take. */
async function requireReadable(request: Request, path: string, intake: Intake): Promise<void> {
  const query = parseQuery(request.url)
  for (const { name, text } of query.parameters) {
    if (text === null) throw new InputRejected(name, "must be percent-encoded UTF-8")
  }
  if (path !== "/_mock/requests" || request.method !== "GET") requireNothing(query)
  if (path === "/_mock/reset" || request.method === "DELETE") {
    requireNoBody(await readText(request, intake))
  }
}

function noControl({ url, method }: Request, routes: Routes): Fault {
  const path = pathOf(url)
  const methods = routes[path]
  if (methods) return new MethodNotAllowed(method, allowed(methods))
  return new Fault(
    "notFound",
    `No such path '${path.slice(0, 100)}'. The control paths are ${Object.keys(routes).join(", ")}.`,
  )
}

function createRoutes({ reset, parseZone, intake }: ControlParts): Routes {
  const read = (request: Request) => readObject(request, intake)
  const apisOf = (state: MockState) =>
    new Map(state.apis.map(({ definition }) => [definition.id, definition]))
  const clock = (state: MockState) => ({ now: toIso(state.clock.now()) })

  const routes: Routes = {
    "/_mock": { GET: () => ({ paths: pathsOf(routes), keys: magicKeys }) },
    "/_mock/requests": {
      GET: (request, state) => state.journal.read(readFilter(parseQuery(request.url), apisOf(state))),
      DELETE: (_request, { journal }) => {
        journal.clear()
        return journal.read({})
      },
    },
    "/_mock/faults": listRoutes("faults", async (request, state) =>
      state.faults.put(readFault(await read(request), apisOf(state))),
    ),
    "/_mock/stubs": listRoutes("stubs", async (request, state) =>
      state.stubs.put(readStub(await read(request), apisOf(state))),
    ),
    "/_mock/clock": {
      GET: (_request, state) => clock(state),
      ...put(async (request, state) => {
        await state.setClock(readClock(await read(request), state.clock.now()))
        return clock(state)
      }),
    },
    "/_mock/dns": {
      GET: (_request, { dns }) => ({ zone: dns.zone }),
      ...put(async (request, { dns }) => {
        await replaceZone(dns, await readText(request, intake), parseZone)
        return { names: Object.keys(dns.zone).length }
      }),
    },
    "/_mock/notices": { GET: async (_request, state) => ({ notices: await state.notices() }) },
    "/_mock/reset": { POST: () => reset().then(() => ({})) },
  }
  return routes
}

/** `POST` works as `PUT` does, since some clients send nothing else. */
function put(handle: Handle): Methods {
  return { PUT: handle, POST: handle }
}

/** Shows, adds to and empties a list of the mock. Every answer is the list. */
function listRoutes(
  name: "faults" | "stubs",
  add: (request: Request, state: MockState) => Promise<void>,
): Methods {
  const show = (state: MockState) => ({ [name]: state[name].list() })
  return {
    GET: (_request, state) => show(state),
    ...put(async (request, state) => {
      await add(request, state)
      return show(state)
    }),
    DELETE: (_request, state) => {
      state[name].clear()
      return show(state)
    },
  }
}

async function replaceZone(
  dns: MockState["dns"],
  text: string,
  parseZone: ControlParts["parseZone"],
): Promise<void> {
  try {
    const zone = await parseZone(text)
    // An empty file is a zone without names; an empty body is a mistake.
    if (Object.keys(zone).length === 0 && !text.includes("{")) {
      throw new Error("it is empty; {} is a zone without names")
    }
    dns.replace(zone)
  } catch (thrown) {
    throw new InputRejected("zone", `cannot be used: ${messageOf(thrown).replace(/\.$/, "")}`)
  }
}

function allowed(methods: Methods): string {
  return Object.keys(methods).join(", ")
}

function pathsOf(routes: Routes): string[] {
  return Object.entries(routes).map(([path, methods]) => `${allowed(methods)} ${path}`)
}
