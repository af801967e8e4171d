/** Handing mails to a real mail server on loopback that is well, slow, busy, refusing, or not what it says. */
import { afterEach, describe, expect, test } from "bun:test"
import { createServer, type Server } from "node:net"
import { hookCert, hookKey } from "../../test/support/hook-certificate.ts"
import { startMailServer } from "../../test/support/mail-server.ts"
import { createManualTimer } from "../../test/support/timer.ts"
import { until } from "../../test/support/until.ts"
import { createMailSender, type MailServer, mailLimitMs } from "./mail-sender.ts"
import { systemTimer } from "./timer.ts"

const closing: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closing.splice(0)) await close()
})

async function serverWith(options: Parameters<typeof startMailServer>[0] = {}) {
  const server = await startMailServer(options)
  closing.push(server.close)
  return server
}

const mail = {
  from: "no-reply@example.com",
  to: "ann@example.com",
  message: Buffer.from("Subject: Hello\r\n\r\nText\r\n"),
}
const send = (server: MailServer, one = mail) => createMailSender(server, { timer: systemTimer }).send(one)

/** A server that says what a test wants. `onLine` gets each line of the client. */
async function rawServer(greeting: string | null, onLine: (line: string) => string | null = () => null) {
  const sockets: { destroy(): void }[] = []
  const server: Server = createServer((socket) => {
    sockets.push(socket)
    socket.on("error", () => {})
    if (greeting !== null) socket.write(greeting)
    socket.on("data", (data) => {
      for (const line of data.toString().split("\r\n")) {
        const answer = line === "" ? null : onLine(line)
        if (answer === "close") socket.destroy()
        else if (answer !== null) socket.write(answer)
      }
    })
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  closing.push(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  const place = server.address()
  const port = typeof place === "object" && place !== null ? place.port : 0
  const address: MailServer = { host: "127.0.0.1", port, security: "none", user: null, password: null }
  return { address, sockets }
}

test.each([
  ["STARTTLS", {}],
  ["TLS from the start", { secure: true }],
])("a server that is well takes a mail by %s, signed in", async (_, options) => {
  const { address, taken } = await serverWith(options)
  const reply = await send({ ...address, user: "penknife", password: "secret" })
  expect(reply).toEqual({ kind: "accepted", status: 250, error: null })
  expect(taken).toEqual([
    {
      from: "no-reply@example.com",
      to: "ann@example.com",
      message: "Subject: Hello\r\n\r\nText\r\n",
      isEncrypted: true,
      user: "penknife",
    },
  ])
})

test("a server that is well takes addresses in other scripts", async () => {
  const { address, taken } = await serverWith()
  expect(await send(address, { ...mail, to: "jürgen@例え.テスト" })).toMatchObject({ kind: "accepted" })
  expect(taken[0]?.to).toContain("jürgen@")
})

test("a server that is well takes a mail in the clear only if the operator said so", async () => {
  const { address, taken } = await serverWith({ disabledCommands: ["STARTTLS"] })
  expect(await send(address)).toMatchObject({ kind: "retry", error: expect.stringContaining("STARTTLS") })
  expect(taken).toEqual([])
  expect(await send({ ...address, security: "none" })).toMatchObject({ kind: "accepted" })
  expect(taken).toMatchObject([{ isEncrypted: false }])
})

describe("a server that does not take the mail", () => {
  test("greylisting is tried again", async () => {
    const { address } = await serverWith({
      onRcptTo: (_, __, done) =>
        done(Object.assign(new Error("Greylisted, try later"), { responseCode: 451 })),
    })
    expect(await send(address)).toEqual({
      kind: "retry",
      status: 451,
      error: expect.stringContaining("Greylisted, try later"),
    })
  })

  test("a refused recipient has failed, with the server's words in one short line", async () => {
    const words = `No such user\u0007 ${"x".repeat(2_000)}`
    const { address } = await serverWith({
      onRcptTo: (_, __, done) => done(Object.assign(new Error(words), { responseCode: 550 })),
    })
    const reply = await send(address)
    expect(reply).toMatchObject({ kind: "refused", status: 550 })
    expect(reply.error).toContain("No such user")
    expect(reply.error?.length).toBeLessThanOrEqual(300)
    expect(reply.error).not.toMatch(/\p{Cc}/u)
  })

  test("a refused text has failed", async () => {
    const { address } = await serverWith({
      onData(stream, _, done) {
        stream.resume()
        stream.on("end", () => done(Object.assign(new Error("Looks like spam"), { responseCode: 554 })))
      },
    })
    expect(await send(address)).toMatchObject({
      kind: "refused",
      status: 554,
      error: expect.stringContaining("Looks like spam"),
    })
  })

  test("a wrong password is for the operator to mend, and does not end the mail", async () => {
    const { address } = await serverWith()
    const reply = await send({ ...address, user: "penknife", password: "hunter2" })
    expect(reply).toMatchObject({ kind: "retry", status: 535 })
    expect(reply.error).not.toContain("hunter2")
  })

  test("a certificate of another name, or of nobody that is trusted, is an error that says so", async () => {
    for (const secure of [true, false]) {
      const { address, taken } = await serverWith({ secure, key: hookKey, cert: hookCert })
      for (const host of ["localhost", "127.0.0.1"]) {
        const other = await send({ ...address, ca: hookCert, host })
        expect(other).toMatchObject({ kind: "retry", status: null })
        expect(other.error).toMatch(/altname|hostname|certificate/i)
      }
      expect(taken).toEqual([])
    }
    const { address, taken } = await serverWith({ secure: true })
    const { ca: _, ...untrusted } = address
    const reply = await send(untrusted)
    expect(reply).toMatchObject({ kind: "retry", status: null })
    expect(reply.error).toMatch(/certificate|self.signed|issuer/i)
    expect(taken).toEqual([])
  })
})

test("a server that is not there is tried again", async () => {
  const { address, close } = await startMailServer()
  await close()
  expect(await send(address)).toMatchObject({ kind: "retry", status: null, error: expect.any(String) })
})

test("a server that is not there or closes in the middle is tried again, also after the text was sent", async () => {
  const atOnce = await rawServer("220 mail\r\n", () => "close")
  expect(await send(atOnce.address)).toMatchObject({ kind: "retry", status: null })
  let hasText = false
  const afterText = await rawServer("220 mail\r\n", (line) => {
    if (line.startsWith("EHLO")) return "250 mail\r\n"
    if (/^(MAIL|RCPT)/.test(line)) return "250 ok\r\n"
    if (line === "DATA") return "354 go on\r\n"
    if (line !== ".") return null
    hasText = true
    return "close"
  })
  expect(await send(afterText.address)).toMatchObject({ kind: "retry", status: null })
  expect(hasText).toBe(true)
})

test("a server that is not there or says nothing ends within the limit, as one that never stops talking does", async () => {
  for (const greeting of [null, "220-wait\r\n"]) {
    const { address, sockets } = await rawServer(greeting, () => "250-still here\r\n")
    const timer = createManualTimer()
    const sending = createMailSender(address, { timer }).send(mail)
    await until(() => sockets.length === 1)
    timer.advance(mailLimitMs)
    expect(await sending).toEqual({ kind: "retry", status: null, error: "no end within 30 s" })
  }
})
