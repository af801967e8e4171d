/** One server-sent event. */
export interface ServerEvent {
  /** `message` unless the server says otherwise. */
  readonly type: string
  readonly data: string
}

/** Reads server-sent events (https://html.spec.whatwg.org/multipage/server-sent-events.html). The ends of lines may be cut. */
export async function* readServerEvents(pieces: AsyncIterable<string>): AsyncGenerator<ServerEvent> {
  let rest = ""
  for await (const piece of pieces) {
    const blocks = (rest + piece).split("\n\n")
    rest = blocks.pop() ?? ""
    for (const block of blocks) {
      const event = toEvent(block)
      if (event) yield event
    }
  }
}

/** Null for a block that only has comments. */
function toEvent(block: string): ServerEvent | null {
  let type = "message"
  const data: string[] = []
  for (const line of block.split("\n")) {
    const [, name, value = ""] = /^([^:]*)(?:: ?(.*))?$/.exec(line) ?? []
    if (name === "event") type = value
    else if (name === "data") data.push(value)
  }
  return data.length === 0 ? null : { type, data: data.join("\n") }
}
