/** A port of this machine that nothing listens on. */
export function freePort(): number {
  const server = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: () => new Response("") })
  const { port = 0 } = server
  server.stop(true)
  return port
}
