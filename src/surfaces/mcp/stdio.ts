import type { Readable } from "node:stream"
import { StdioServerTransport, serveStdio } from "@modelcontextprotocol/server/stdio"
import { InputRejected, Unavailable } from "../../apis/contract.ts"
import type { LocalCalls, PreparedApi } from "../../call/prepared-api.ts"
import { parseJson } from "../../values/is-object.ts"
import { createCatalogEndpoint } from "./catalog-endpoint.ts"
import type { McpClient } from "./endpoint.ts"
import { dataResult, errorResult } from "./results.ts"
import { createSearchEndpoint } from "./search-endpoint.ts"
import { createMcpServer, type ServiceName } from "./server.ts"

/** The catalog, and the streams of the program that started this one. */
interface StdioParts {
  readonly apis: readonly PreparedApi[]
  readonly name: ServiceName
  /** Whether the three search tools are offered instead of a tool per API. */
  readonly search: boolean
  readonly call: LocalCalls
  readonly input: Readable
  /** Takes a line for standard error; standard output belongs to the protocol. */
  readonly report: (line: string) => void
}

/**
 * Serves the catalog to the program that started this one. Nothing is metered.
 * @returns a promise that resolves when the client has broken the connection
 */
export function serveOverStdio(parts: StdioParts): Promise<void> {
  const { apis, name, search, call, input, report } = parts
  const endpoint = search
    ? createSearchEndpoint(apis)
    : createCatalogEndpoint(apis, "'penknife mcp --search'")
  const client: McpClient = {
    mayCall: () => true,
    lists: () => true,
    countFreeCall: async () => null,
    async callApi(api, values) {
      try {
        return dataResult(await call(api, { kind: "typed", values }))
      } catch (thrown) {
        if (thrown instanceof InputRejected || thrown instanceof Unavailable)
          return errorResult(thrown.message)
        throw thrown
      }
    },
  }
  const tell = (problem: string) => report(`penknife: ${problem}.\n`)
  const broken = reportMalformedLines(input, tell)
  serveStdio(() => createMcpServer(endpoint, client, name), {
    transport: new StdioServerTransport(input, undefined, { maxBufferSize: maxMessageBytes }),
    // The message of a parse error quotes what was sent, which may hold a secret.
    onerror: ({ name }) =>
      tell(`a message could not be answered (${name === "ZodError" ? "it is no JSON-RPC object" : name})`),
  })
  return broken
}

/** A longer message ends the connection, as the protocol's library does by default. */
const maxMessageBytes = 10 * 1_024 * 1_024

/**
 * Reports lines that are not JSON, which the protocol's library ignores silently. Their text is not repeated, since it may hold a
 * secret. Attach it before the library: then it sees each line first.
 * @returns a promise that resolves when a line is too long
 */
function reportMalformedLines(input: Readable, report: (problem: string) => void): Promise<void> {
  const { promise: tooLong, resolve } = Promise.withResolvers<void>()
  let pieces: Buffer[] = []
  let bytes = 0

  function endLine(): void {
    const line = Buffer.concat(pieces).toString().trim()
    pieces = []
    bytes = 0
    if (line !== "" && parseJson(line) === undefined) report("a line is not JSON and was passed over")
  }

  input.on("data", (chunk: Buffer) => {
    let rest = chunk
    for (let end = rest.indexOf("\n"); end >= 0; end = rest.indexOf("\n")) {
      pieces.push(rest.subarray(0, end))
      endLine()
      rest = rest.subarray(end + 1)
    }
    pieces.push(rest)
    bytes += rest.length
    if (bytes <= maxMessageBytes) return
    report("a message is longer than 10 MiB, so the connection ends")
    pieces = []
    bytes = 0
    resolve()
  })
  input.on("end", () => {
    if (bytes > 0) report("the input ended before the end of its last line, which was passed over")
  })
  return tooLong
}
