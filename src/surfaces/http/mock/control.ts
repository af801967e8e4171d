import { InputRejected } from "../../../apis/contract.ts"
import { fail, type Reply, succeed } from "../../../call/execute.ts"
import { Fault, toFault } from "../../../call/fault.ts"
import { magicKeys } from "../../../mock/keys.ts"
import type { MockWorld } from "../../../mock/world.ts"
import { readObject, readText } from "../body.ts"
import { answerPreflight } from "../cross-origin.ts"
import type { Intake } from "../intake.ts"
import { parseQuery } from "../query.ts"
import { respond } from "../respond.ts"
import { readClock, readFault, readFilter, readStub, requireNoBody, requireNothing } from "./control-input.ts"

export interface ControlParts {
  /** As it is now: a reset brings another. */
  readonly world: () => MockWorld
  readonly reset: () => Promise<void>
  /** Reads a zone from YAML or JSON; throws an Error that says where it cannot be used. */
  readonly parseZone: (text: string) => MockWorld["dns"]["zone"]
  readonly requestIdFor: (incoming: string | null) => string
  readonly intake: Intake
}

type Handle = (request: Request, world: MockWorld) => object | Promise<object>
type Methods = Readonly<Partial<Record<string, Handle>>>

/** Whether a path is the mock's own. */
export function isControlPath(path: string): boolean {
  return path === "/_mock" || path.startsWith("/_mock/")
}

/** The handler of everything under `/_mock`. Bad input is a 400 that names the field, and changes nothing. */
export function createControl(parts: ControlParts): (request: Request, path: string) => Promise<Response> {
  const routes = createRoutes(parts)

  async function answer(request: Request, path: string): Promise<Reply> {
    try {
      const methods = routes.get(path)
      if (!methods)
        throw new Fault("notFound", `There is nothing at '${path.slice(0, 100)}'. There is ${list(routes)}.`)
      const handle = methods[request.method]
      if (!handle) throw wrongMethod(request.method, methods)
      const query = parseQuery(request.url)
      for (const { name, text } of query.parameters) {
        if (text === null) throw new InputRejected(name, "must be percent-encoded UTF-8")
      }
      if (path !== "/_mock/requests" || request.method !== "GET") requireNothing(query)
      if (request.method === "POST" || request.method === "DELETE") {
        requireNoBody(await readText(request, parts.intake))
      }
      return succeed({ ...(await handle(request, parts.world())) })
    } catch (thrown) {
      return fail(toFault(thrown))
    }
  }

  return async (request, path) => {
    const requestId = parts.requestIdFor(request.headers.get("x-request-id"))
    const methods = routes.get(path)
    // Tests that run in a browser steer the mock as well.
    if (request.method === "OPTIONS" && methods) return answerPreflight(requestId, allowed(methods))
    return respond(await answer(request, path), "json", { request, requestId })
  }
}

function createRoutes({ reset, parseZone, intake }: ControlParts): ReadonlyMap<string, Methods> {
  const read = (request: Request) => readObject(request, intake)
  const apisOf = (world: MockWorld) =>
    new Map(world.apis.map(({ definition }) => [definition.id, definition]))
  const faults = (world: MockWorld) => ({ faults: world.faults.list() })
  const stubs = (world: MockWorld) => ({ stubs: world.stubs.list() })
  const clock = (world: MockWorld) => ({ now: new Date(world.clock.now()).toISOString() })

  const routes: ReadonlyMap<string, Methods> = new Map<string, Methods>([
    ["/_mock", { GET: () => ({ paths: pathsOf(routes), keys: magicKeys }) }],
    [
      "/_mock/requests",
      {
        GET: (request, world) => world.journal.read(readFilter(parseQuery(request.url), apisOf(world))),
        DELETE: (_request, { journal }) => {
          journal.clear()
          return journal.read({})
        },
      },
    ],
    [
      "/_mock/faults",
      {
        GET: (_request, world) => faults(world),
        PUT: async (request, world) => {
          world.faults.put(readFault(await read(request), apisOf(world)))
          return faults(world)
        },
        DELETE: (_request, world) => {
          world.faults.clear()
          return faults(world)
        },
      },
    ],
    [
      "/_mock/stubs",
      {
        GET: (_request, world) => stubs(world),
        PUT: async (request, world) => {
          world.stubs.put(readStub(await read(request), apisOf(world)))
          return stubs(world)
        },
        DELETE: (_request, world) => {
          world.stubs.clear()
          return stubs(world)
        },
      },
    ],
    [
      "/_mock/clock",
      {
        GET: (_request, world) => clock(world),
        PUT: async (request, world) => {
          world.clock.set(readClock(await read(request), world.clock.now()))
          return clock(world)
        },
      },
    ],
    [
      "/_mock/dns",
      {
        GET: (_request, { dns }) => ({ zone: dns.zone }),
        PUT: async (request, { dns }) => {
          replaceZone(dns, await readText(request, intake), parseZone)
          return { names: Object.keys(dns.zone).length }
        },
      },
    ],
    ["/_mock/notices", { GET: async (_request, world) => ({ notices: await world.notices() }) }],
    [
      "/_mock/reset",
      {
        POST: async () => {
          await reset()
          return {}
        },
      },
    ],
  ])
  return routes
}

function replaceZone(dns: MockWorld["dns"], text: string, parseZone: ControlParts["parseZone"]): void {
  try {
    const zone = parseZone(text)
    // An empty file is a zone without names; an empty body is a mistake.
    if (Object.keys(zone).length === 0 && !text.includes("{")) {
      throw new Error("it is empty; {} is a zone without names")
    }
    dns.replace(zone)
  } catch (thrown) {
    const problem = thrown instanceof Error ? thrown.message : String(thrown)
    throw new InputRejected("zone", `cannot be used: ${problem.replace(/\.$/, "")}`)
  }
}

function allowed(methods: Methods): string {
  return Object.keys(methods).join(", ")
}

function wrongMethod(method: string, methods: Methods): Fault {
  const allow = allowed(methods)
  return new Fault("methodNotAllowed", `This path takes ${allow}, not ${method}.`, { headers: { allow } })
}

function pathsOf(routes: ReadonlyMap<string, Methods>): string[] {
  return [...routes].map(([path, methods]) => `${allowed(methods)} ${path}`)
}

function list(routes: ReadonlyMap<string, Methods>): string {
  return [...routes.keys()].join(", ")
}
