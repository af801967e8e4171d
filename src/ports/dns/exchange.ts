import type { ServerAddress } from "./server-address.ts"

/** What comes back for one query over one transport. After `close` nothing does. */
export interface Listener {
  /** One whole message from the server's address; may be anything, and may come more than once. */
  message(message: Buffer): void
  /** The server cannot be reached, or ended the connection: no further message will come. */
  broken(): void
}

export interface Exchange {
  /** Sends the same query once more, where the transport does not do so by itself. */
  resend(): void
  close(): void
}

/** Sends one query and listens until it is closed. Never throws; `listener` is never called before it returns. */
export type OpenExchange = (server: ServerAddress, query: Buffer, listener: Listener) => Exchange
