/** Names of mail servers, the preferred one first (RFC 5321 §5.1). */
export function byPreference(
  records: readonly { readonly preference: number; readonly exchange: string }[],
): string[] {
  return [...records].sort((a, b) => a.preference - b.preference).map(({ exchange }) => exchange)
}
