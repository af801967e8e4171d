import { createRequestStateCodec } from "@modelcontextprotocol/server"

/** Signs what a fixture has to remember between two rounds, so that a changed state is refused. */
export const state = createRequestStateCodec<string>({ key: "a secret of 32 bytes at the least" })
