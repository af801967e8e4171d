/** For the DNS of a test whose API resolves names and exchanges nothing. */
export function noExchange(): Promise<never> {
  return Promise.reject(new Error("an exchange was not expected"))
}
