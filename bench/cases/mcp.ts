import type { Case } from "../case.ts"
import { compare, cpuRatio, toRows } from "../compare.ts"
import { callTool, lookUp, sign, signAsTool } from "../loads.ts"

export const mcp: Case = {
  name: "mcp",
  title: "A tool call over MCP beside the same call over REST",
  async run(bench) {
    const store = await bench.store(1, 1)
    const command = bench.penknife(store)
    const measured = await compare(bench, {
      "REST, bluetoothlookup": { command, load: lookUp(store.keys) },
      "MCP, bluetoothlookup": { command, load: callTool(store.keys, "bluetoothlookup", { companyid: "76" }) },
      "REST, hmac": { command, load: sign(store.keys) },
      "MCP, hmac": { command, load: signAsTool(store.keys) },
    })
    return {
      rows: toRows(measured),
      findings: [
        ...cpuRatio(measured["MCP, bluetoothlookup"], measured["REST, bluetoothlookup"], { atMost: 12 }),
        ...cpuRatio(measured["MCP, hmac"], measured["REST, hmac"], { atMost: 12 }),
      ],
      notes: [],
    }
  },
}
