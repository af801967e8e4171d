import type { Case } from "../case.ts"
import { compare, cpuRatio, toRows } from "../compare.ts"
import { lookUp } from "../loads.ts"

export const traces: Case = {
  name: "traces",
  title: "A metered GET without traces, with a share of 1 % and with all of them",
  async run(bench) {
    const store = await bench.store(1, 1)
    const load = lookUp(store.keys)
    const collector = Bun.serve({
      hostname: "127.0.0.1",
      port: 0,
      async fetch(request) {
        await request.arrayBuffer()
        return new Response()
      },
    })
    const traced = (share: number) => [
      "env",
      `OTEL_EXPORTER_OTLP_ENDPOINT=http://127.0.0.1:${collector.port}`,
      "OTEL_TRACES_SAMPLER=parentbased_traceidratio",
      `OTEL_TRACES_SAMPLER_ARG=${share}`,
      ...bench.penknife(store),
    ]
    try {
      const measured = await compare(bench, {
        "no traces": { command: bench.penknife(store), load },
        "1 %": { command: traced(0.01), load },
        all: { command: traced(1), load },
      })
      const { "no traces": none, "1 %": few, all } = measured
      return {
        rows: toRows(measured),
        findings: [...cpuRatio(few, none, { atMost: 1.05 }), ...cpuRatio(all, none, null)],
        notes: [
          "With all of them, more spans end than are sent in time; those beyond the queue are dropped.",
        ],
      }
    } finally {
      await collector.stop(true)
    }
  },
}
