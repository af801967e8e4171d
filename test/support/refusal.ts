import { InputRejected } from "../../src/apis/contract.ts"

/** The message with which a call of an API is refused; `accepted` if it is not. */
export async function refusalOf(call: () => unknown): Promise<string> {
  try {
    await call()
    return "accepted"
  } catch (error) {
    if (error instanceof InputRejected) return error.message
    throw error
  }
}
