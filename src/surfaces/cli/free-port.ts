/**
 * Makes sure that nobody listens on a port that several processes are about to share. Sharing is something that the system
 * grants to any process of the same user: a second service on the port would not be refused but take half the calls.
 * Listening alone, without sharing, is refused as long as anyone is there.
 * @throws as listening does, with the code `EADDRINUSE` for one
 */
export function requireFreePort(host: string, port: number): void {
  Bun.serve({ hostname: host, port, fetch: () => new Response(null, { status: 503 }) }).stop(true)
}
