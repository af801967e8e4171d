/** A renewed certificate is served without a restart, on the executable and over real TLS. */

import { describe, expect, test } from "bun:test"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { connect, type TLSSocket } from "node:tls"
import { createSelfSigned } from "../../src/ports/tls/self-signed.ts"
import { freePort } from "../support/free-port.ts"
import { tempDir } from "../support/temp.ts"
import { until } from "../support/until.ts"
import { createAccount, lookUp } from "./accounts.ts"
import { run, serve } from "./support.ts"

const dir = tempDir()
const first = await createSelfSigned(["first.test"], Date.now())
const second = await createSelfSigned(["second.test"], Date.now())
// Clients trust both certificates.
const ca = first.ca + second.ca
let servers = 0

/** Starts the executable with the first certificate. */
async function startTls(...more: string[]) {
  const [cert, key] = [join(dir, `cert-${servers}.pem`), join(dir, `key-${servers}.pem`)]
  const install = (pair: { cert: string; key: string }) => {
    writeFileSync(cert, pair.cert)
    writeFileSync(key, pair.key)
  }
  install(first)
  const db = join(dir, `tls-${servers++}.db`)
  const server = await serve(db, "--tls-cert", cert, "--tls-key", key, ...more)
  return {
    ...server,
    db,
    install,
    /** Asks for the reload as an operator does. */
    reload: () => server.child.kill("SIGHUP"),
  }
}

/** Connects, and returns the socket with the names of the server's certificate. */
function shake(url: string): Promise<{ socket: TLSSocket; names: string }> {
  const { port } = new URL(url)
  return new Promise((resolve, reject) => {
    const socket: TLSSocket = connect({ host: "127.0.0.1", port: Number(port), ca }, () =>
      resolve({ socket, names: socket.getPeerCertificate().subjectaltname ?? "" }),
    )
    socket.on("error", reject)
  })
}

async function namesAt(url: string): Promise<string> {
  const { socket, names } = await shake(url)
  socket.destroy()
  return names
}

/** Sends a request on an open connection and keeps it open. Returns the head of the answer. */
const ask = (socket: TLSSocket): Promise<string> =>
  new Promise((resolve, reject) => {
    socket.once("data", (chunk) => resolve(chunk.toString("latin1")))
    socket.once("close", () => reject(new Error("the connection was closed")))
    socket.write("GET /health HTTP/1.1\r\nhost: first.test\r\n\r\n")
  })

const linux = process.platform === "linux"

describe.if(linux)("a renewed certificate", () => {
  test("is used after SIGHUP at the address of the admin API, too", async () => {
    const port = freePort()
    const server = await startTls("--admin", `127.0.0.1:${port}`)
    const url = `https://127.0.0.1:${port}`
    expect(await namesAt(url)).toContain("first.test")
    server.install(second)
    server.reload()
    await server.wrote("certificate reloaded", 1)
    for (const reached of [url, server.url]) expect(await namesAt(reached)).toContain("second.test")
    expect(await server.stop()).toBe(0)
  })

  test.each([[[]], [["--workers", "2"]]])("is used after SIGHUP with %p; no request fails", async (flags) => {
    const server = await startTls(...flags)
    const processes = flags.length === 0 ? 1 : 2
    expect(await namesAt(server.url)).toContain("first.test")
    // The key is limited to an address, which must be known on old connections, too.
    const { call } = await createAccount(server.db, { limits: { allowIps: ["127.0.0.1/32"] } })
    // Clients that keep their connections and always have a request in progress.
    let stop = false
    const statuses: number[] = []
    const clients = Array.from({ length: 8 }, async () => {
      while (!stop) {
        const answer = await call(server.url, lookUp, { tls: { ca } })
        await answer.arrayBuffer()
        statuses.push(answer.status)
      }
    })
    const kept = await shake(server.url)
    expect(await ask(kept.socket)).toStartWith("HTTP/1.1 200 ")

    server.install(second)
    server.reload()
    await server.wrote("certificate reloaded", processes)
    for (let i = 0; i < 8; i++) expect(await namesAt(server.url)).toContain("second.test")
    const before = statuses.length
    await until(() => statuses.length >= before + clients.length)
    stop = true
    await Promise.all(clients)
    expect(new Set(statuses)).toEqual(new Set([200]))
    kept.socket.destroy()
    expect(await server.stop()).toBe(0)
  })

  test("that is broken is logged, and the old one stays in use until a good one comes", async () => {
    const server = await startTls()
    const kept = await shake(server.url)
    const broken: [string, { cert: string; key: string }][] = [
      ["key", { cert: second.cert, key: first.key }],
      ["half", { cert: second.cert.slice(0, 200), key: second.key }],
      ["none", { cert: "", key: "" }],
    ]
    for (const [index, [, pair]] of broken.entries()) {
      server.install(pair)
      server.reload()
      await server.wrote("certificate not reloaded", index + 1)
      expect(await namesAt(server.url)).toContain("first.test")
      expect(await ask(kept.socket)).toStartWith("HTTP/1.1 200 ")
    }
    server.install(second)
    server.reload()
    await server.wrote("certificate reloaded")
    expect(await namesAt(server.url)).toContain("second.test")
    kept.socket.destroy()
    expect(await server.stop()).toBe(0)
    expect(await server.stderr).not.toContain("PRIVATE KEY-----\n")
  })
})

test("answers tell browsers to use TLS only (HSTS), and a port in use is an error too", async () => {
  const server = await startTls()
  for (const path of ["/health", "/none", "/v1/hmac"]) {
    const { headers } = await fetch(server.url + path, { tls: { ca } })
    expect(headers.get("strict-transport-security")).toBe("max-age=31536000")
  }
  const { port } = new URL(server.url)
  const [cert, key] = [join(dir, `cert-${servers - 1}.pem`), join(dir, `key-${servers - 1}.pem`)]
  const files = ["--tls-cert", cert, "--tls-key", key]
  const { code, err } = await run(["serve", "--port", port, "--db", join(dir, "other.db"), ...files])
  expect(code).toBe(1)
  expect(err).toContain("choose a free port with --port")
  expect(await server.stop()).toBe(0)
})
