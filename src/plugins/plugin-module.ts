/** The module that an own API imports as `penknife/plugin`. */
export { Type } from "@sinclair/typebox"
export {
  choice,
  defineApi,
  deprecated,
  nullable,
  premium,
  reject,
  secret,
  unavailable,
} from "../apis/contract.ts"
