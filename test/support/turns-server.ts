/** A server whose `/?turns=N&ms=M` streams an answer of N chunks: before each, one turn takes M ms of processor time. */
const server = Bun.serve({
  hostname: "127.0.0.1",
  port: 0,
  fetch({ url }) {
    const { pathname, searchParams } = new URL(url)
    if (pathname === "/health") return new Response("ok")
    const [turns, ms] = ["turns", "ms"].map((name) => Number(searchParams.get(name)))
    return new Response(stream(turns ?? 0, ms ?? 0))
  },
})
console.log(server.url.origin)

function stream(turns: number, ms: number): ReadableStream {
  let left = turns
  return new ReadableStream(
    {
      async pull(controller) {
        await new Promise((resolve) => setImmediate(resolve))
        const before = process.threadCpuUsage()
        for (let used = 0; used < ms; ) {
          const { user, system } = process.threadCpuUsage(before)
          used = (user + system) / 1_000
        }
        // More than Bun's buffer takes, so that each chunk leaves at once.
        controller.enqueue(new Uint8Array(100_000))
        if (--left === 0) controller.close()
      },
    },
    { highWaterMark: 0 },
  )
}
