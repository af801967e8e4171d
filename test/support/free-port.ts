const lowest = 20_000
const ports = 10_000
/** Each process begins elsewhere, so that two that look at the same time find different ones. */
let tried = process.pid * 13

/**
 * A port of this machine that nothing listens on. The system gives ports from 32,768 on to sockets that name none, so that
 * nobody else takes this one before the test does.
 */
export function freePort(): number {
  for (let attempt = 0; attempt < ports; attempt++) {
    const port = lowest + (tried++ % ports)
    if (isFree(port)) return port
  }
  throw new Error("this machine has no free port")
}

function isFree(port: number): boolean {
  try {
    Bun.serve({ hostname: "127.0.0.1", port, fetch: () => new Response("") }).stop(true)
    return true
  } catch (thrown) {
    if (thrown instanceof Error && "code" in thrown && thrown.code === "EADDRINUSE") return false
    throw thrown
  }
}
