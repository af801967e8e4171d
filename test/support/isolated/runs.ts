import type { IsolatedRuns } from "../../../src/apis/isolated-runs.ts"

/** The code of the isolated API that tests use. */
export const isolatedRuns: IsolatedRuns = { sample: () => import("./sample.ts") }
