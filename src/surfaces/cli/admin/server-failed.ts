/** The service gave no answer, or one that is not of its admin API. The message says what to change. */
export class ServerFailed extends Error {
  override readonly name = "ServerFailed"
}
