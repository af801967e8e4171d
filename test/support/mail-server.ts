/** A mail server on loopback that behaves as a test says, by `smtp-server`. */
import { SMTPServer, type SMTPServerOptions } from "smtp-server"
import type { MailServer } from "../../src/ports/mail-sender.ts"
import { createSelfSigned } from "../../src/ports/tls/self-signed.ts"

/** A mail that the server took. */
export interface TakenMail {
  readonly from: string
  readonly to: string
  readonly message: string
  readonly isEncrypted: boolean
  readonly user: string | null
}

/** The certificate of test servers, for `localhost`. */
const certified = await createSelfSigned(["localhost"], Date.now())

/** Starts a mail server. Its `address` is what a sender needs. */
export async function startMailServer(options: SMTPServerOptions = {}) {
  const taken: TakenMail[] = []
  const server = new SMTPServer({
    authOptional: true,
    key: certified.key,
    cert: certified.cert,
    disableReverseLookup: true,
    // A test closes the server at once.
    closeTimeout: 1,
    onAuth: ({ username, password }, _, done) =>
      password === "secret" ? done(null, { user: username }) : done(new Error("wrong password")),
    onData(stream, session, done) {
      const chunks: Buffer[] = []
      stream.on("data", (chunk: Buffer) => chunks.push(chunk))
      stream.on("end", () => {
        const { mailFrom, rcptTo } = session.envelope
        taken.push({
          from: mailFrom ? mailFrom.address : "",
          to: rcptTo.map(({ address }) => address).join(),
          message: Buffer.concat(chunks).toString(),
          isEncrypted: session.secure,
          user: typeof session.user === "string" ? session.user : null,
        })
        done()
      })
    },
    ...options,
  })
  server.on("error", () => {})
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const place = server.server.address()
  const port = typeof place === "object" && place !== null ? place.port : 0
  const address: MailServer = {
    host: "localhost",
    port,
    security: options.secure ? "tls" : "starttls",
    user: null,
    password: null,
    ca: certified.ca,
  }
  return { address, taken, close: () => new Promise<void>((resolve) => server.close(resolve)) }
}
