/** For the DNS of a test whose API resolves names and exchanges nothing. */
export const noExchange = (): Promise<never> => Promise.reject(new Error("an exchange was not expected"))
