import type { ApiDefinition } from "./contract.ts"

/** The code of isolated APIs by their ids. */
export type IsolatedRuns = Readonly<Record<string, () => Promise<Pick<ApiDefinition, "run">>>>

/**
 * The time in which a run may ask other servers, in a thread and in the service. With the wait for a place and the run itself, a
 * call is answered before its connection may be closed.
 */
export const maxAskingMs = 10_000

/** Every isolated API of the catalog: `id: () => import("./id/run.ts")`. Each is loaded with its first run. */
export const isolatedRuns: IsolatedRuns = {
  barcodegenerator: () => import("./barcodegenerator/run.ts"),
  certificatedecoder: () => import("./certificatedecoder/run.ts"),
  cronparser: () => import("./cronparser/run.ts"),
  dataconverter: () => import("./dataconverter/run.ts"),
  jsondiff: () => import("./jsondiff/run.ts"),
  jsonpath: () => import("./jsonpath/run.ts"),
  mailreportparser: () => import("./mailreportparser/run.ts"),
  markdownconverter: () => import("./markdownconverter/run.ts"),
  messageauth: async () => {
    const { createRun } = await import("./messageauth/run.ts")
    const { checkSender } = await import("./spfvalidator/check-host.ts")
    return { run: createRun(checkSender, maxAskingMs) }
  },
  qrcodegenerator: () => import("./qrcodegenerator/run.ts"),
  jsonschemavalidator: () => import("./jsonschemavalidator/run.ts"),
}
