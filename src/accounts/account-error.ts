/** An operator's request that cannot be carried out. The message is for the operator and says what to change. */
export class AccountError extends Error {
  override readonly name = "AccountError"
  /** `conflict`: not in the present state, for example because the account is closed. */
  readonly code: "invalid" | "not-found" | "conflict"
  constructor(message: string, code: AccountError["code"] = "invalid") {
    super(message)
    this.code = code
  }
}
