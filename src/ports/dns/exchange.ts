import type { ServerAddress } from "./server-address.ts"

/** Takes what comes back for one query. Nothing comes after `close`. */
export interface Listener {
  /** One whole message from the server's address, valid or not. There may be several. */
  message(message: Buffer): void
  /** The server cannot be reached or has ended the connection. No message follows. */
  broken(): void
}

export interface Exchange {
  /** Sends the same query once more, unless the transport repeats it by itself. */
  resend(): void
  close(): void
}

/** Sends one query and listens until it is closed. Never throws, and calls `listener` only after it has returned. */
export type OpenExchange = (server: ServerAddress, query: Buffer, listener: Listener) => Exchange
