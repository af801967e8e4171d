import type SMTPConnection from "nodemailer/lib/smtp-connection"
import type { Timer } from "../apis/contract.ts"
import { messageOf } from "../values/message-of.ts"
import { within } from "../values/within.ts"

/** A mail server that takes mail for others, and how to sign in to it. */
export interface MailServer {
  readonly host: string
  readonly port: number
  /** `tls`: from the start, `starttls`: before anything else is sent, `none`: the operator wants no encryption. */
  readonly security: "tls" | "starttls" | "none"
  readonly user: string | null
  readonly password: string | null
  /** PEM certificates to trust instead of the system's. */
  readonly ca?: string
}

/** A mail as it is handed to a mail server. */
interface OutgoingMail {
  readonly from: string
  readonly to: string
  /** Headers and bodies (RFC 5322), with lines that end in CR LF. */
  readonly message: Buffer
}

/**
 * A mail server's reply to a mail. `refused`: it will not take this mail. `retry`: it may take it later, or it could not be
 * reached, or took the mail and could not say so.
 */
export interface MailReply {
  readonly kind: "accepted" | "refused" | "retry"
  /** The code of its last answer (RFC 5321 §4.2); null without one. */
  readonly status: number | null
  /** Its words, or why there are none, in one line; null when it accepted the mail. */
  readonly error: string | null
}

/** Hands mails to a mail server. */
export interface MailSender {
  /** Sends one mail over a connection of its own. Never throws, and ends within the time limit. */
  send(mail: OutgoingMail): Promise<MailReply>
}

/** Time for one mail, from the connection to the last answer. */
export const mailLimitMs = 30_000
/** The most of a server's words that is kept. */
const maxErrorCharacters = 300

type SenderParts = { readonly timer: Timer; readonly limitMs?: number }

/** SMTP (RFC 5321) by nodemailer, which is loaded with the first mail. One mail takes `limitMs` at most. */
export function createMailSender(server: MailServer, parts: SenderParts): MailSender {
  const { timer, limitMs = mailLimitMs } = parts
  return {
    async send(mail) {
      const { default: Connection } = await import("nodemailer/lib/smtp-connection")
      const connection = new Connection(toOptions(server))
      const late: MailReply = { kind: "retry", status: null, error: `no end within ${limitMs / 1_000} s` }
      const reply = within({ timer, limitMs }, transmit(connection, server, mail), () => late)
      return reply.finally(() => connection.close())
    },
  }
}

function toOptions({ host, port, security, ca }: MailServer): SMTPConnection.Options {
  return {
    host,
    port,
    secure: security === "tls",
    requireTLS: security === "starttls",
    ignoreTLS: security === "none",
    tls: { minVersion: "TLSv1.2", rejectUnauthorized: true, ...(ca !== undefined && { ca }) },
    // The limit of time for the whole mail ends all of these.
    connectionTimeout: mailLimitMs,
    greetingTimeout: mailLimitMs,
    socketTimeout: mailLimitMs,
    dnsTimeout: mailLimitMs,
    maxResponseSize: 65_536,
    socketCloseTimeout: 0,
  }
}

async function transmit(
  connection: SMTPConnection,
  { user, password }: MailServer,
  { from, to, message }: OutgoingMail,
): Promise<MailReply> {
  try {
    await new Promise<void>((resolve, reject) => {
      connection.on("error", reject)
      connection.on("end", () => reject(new Error("the connection was closed")))
      connection.connect((error) => (error ? reject(error) : resolve()))
    })
    if (user !== null) await step((done) => connection.login({ user, pass: password ?? "" }, done))
    await new Promise<void>((resolve, reject) => {
      connection.on("error", reject)
      connection.on("end", () => reject(new Error("the connection was closed before the server answered")))
      connection.send({ from, to: [to], size: message.length }, message, (error) =>
        error ? reject(error) : resolve(),
      )
    })
    connection.quit()
    return { kind: "accepted", status: 250, error: null }
  } catch (cause) {
    return toReply(cause)
  }
}

function step(run: (done: (error: Error | null) => void) => void): Promise<void> {
  return new Promise((resolve, reject) => run((error) => (error ? reject(error) : resolve())))
}

/** Only an answer 5yz to the mail itself refuses it. One to the sign-in, or a certificate, is for the operator to mend. */
function toReply(cause: unknown): MailReply {
  const { code, responseCode, response } = cause instanceof Error ? (cause as SmtpError) : {}
  const status = responseCode ?? null
  const isOfMail = code === "EENVELOPE" || code === "EMESSAGE"
  const kind = isOfMail && (status === null || status >= 500) ? "refused" : "retry"
  return { kind, status, error: toLine((isOfMail && response) || messageOf(cause)) }
}

/** The fields that nodemailer gives its errors. */
interface SmtpError extends Error {
  readonly code?: string
  readonly responseCode?: number
  readonly response?: string
}

/** A server's words as one line without control characters, shortened. */
function toLine(text: string): string {
  const line = text.replace(/[\p{Cc}\p{Cf}\s]+/gu, " ").trim()
  return line.length > maxErrorCharacters ? `${line.slice(0, maxErrorCharacters - 1)}…` : line
}
