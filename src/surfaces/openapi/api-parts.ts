import type { Example } from "../../apis/contract.ts"
import { type Fault, inputFault, toFault } from "../../call/fault.ts"
import { toTypeName } from "../graphql/names.ts"
import type { DescribedApi } from "./json-object.ts"

/** The component that holds an API's parameters. */
export function inputName(id: string): string {
  return toTypeName(id, "input")
}

/** The component that holds an API's answer. */
export function dataName(id: string): string {
  return toTypeName(id, "data")
}

/** `1 credit`, `5 credits`. */
export function priceText(credits: number): string {
  return credits === 1 ? "1 credit" : `${credits} credits`
}

/** A name that a reference could carry; an example of a request and the one of its answer have the same. */
export function exampleName({ name }: Example): string {
  return name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-|-$/g, "")
}

/** What the API says when it is asked without any parameter, which most refuse. */
export function firstRefusal({ readInput }: DescribedApi): Fault {
  try {
    readInput({ kind: "typed", values: {} }, true)
    return inputFault("body", "must be valid JSON")
  } catch (thrown) {
    return toFault(thrown)
  }
}
