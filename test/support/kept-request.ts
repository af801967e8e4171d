import type { NewRequest } from "../../src/store/kept-requests.ts"

/** A request as a store keeps it. */
export const keptRequestOf = (given: Partial<NewRequest> & Pick<NewRequest, "row">): NewRequest => ({
  requestId: `id-${given.row}`,
  ownId: null,
  surface: "rest",
  api: "hmac",
  status: 400,
  fault: "inputRejected",
  parameter: "text",
  account: "acc_0001",
  key: null,
  credits: 0,
  isReplay: false,
  ms: 0.4,
  address: null,
  ...given,
})
