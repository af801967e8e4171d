/**
 * Throws an error such as `EADDRINUSE` if another process listens on a port that several workers will share. Without this
 * check, a second service of the same user would take half of the calls.
 */
export function requireFreePort(host: string, port: number): void {
  Bun.serve({ hostname: host, port, fetch: () => new Response(null, { status: 503 }) }).stop(true)
}
