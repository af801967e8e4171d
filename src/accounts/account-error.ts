/** An operator's request that cannot be carried out. The message is for the operator and says what to change. */
export class AccountError extends Error {
  override readonly name = "AccountError"
  /** `conflict`: impossible in the present state, for example because the account is closed. */
  readonly code: "invalid" | "not-found" | "conflict"
  /** The parameter to change; null if there is none. */
  readonly parameter: string | null
  constructor(message: string, parameter: string | null = null, code: AccountError["code"] = "invalid") {
    super(message)
    this.code = code
    this.parameter = parameter
  }
}
