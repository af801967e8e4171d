import { createRequestStateCodec } from "@modelcontextprotocol/server"

/** Signs the state that a fixture keeps between two rounds, so that a changed one is refused. */
export const state = createRequestStateCodec<string>({ key: "a secret of 32 bytes at the least" })
