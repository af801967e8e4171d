/** The baseline for HTTP: a `Bun.serve` that answers every request with the same JSON and does nothing else. */
const answer = JSON.stringify({
  status: "ok",
  error: null,
  data: { companyId: 76, companyIdHex: "0x004C", found: true, company: "Apple, Inc.", data_date: "2026-01" },
})
const head = { headers: { "content-type": "application/json" } }

const server = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: () => new Response(answer, head) })
console.log(JSON.stringify({ event: "listening", url: `http://127.0.0.1:${server.port}` }))
process.once("SIGTERM", () => process.exit(0))
