/**
 * Checks that no other process listens on a port before several workers share it. The system lets any process of the same
 * user share a shared port: a second service would not be refused but take half of the calls. Listening without sharing fails
 * if anyone else listens.
 * @throws the error of listening, such as `EADDRINUSE`
 */
export function requireFreePort(host: string, port: number): void {
  Bun.serve({ hostname: host, port, fetch: () => new Response(null, { status: 503 }) }).stop(true)
}
