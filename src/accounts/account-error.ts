/** An operator's command that cannot be carried out. The message is for the operator and says what to change. */
export class AccountError extends Error {
  override readonly name = "AccountError"
}
