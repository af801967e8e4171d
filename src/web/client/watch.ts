/** Server-sent events of operations. Only the console watches, so the portal's script is without the parser. */
import { createParser } from "eventsource-parser"
import { type AnswerOf, addressOfRead, type ReadId, type ReadInput } from "./operations.ts"
import { answerTo, parseJson, refuse, textOf, unreachableUnlessAborted } from "./request.ts"

interface WatchListener<Entry> {
  onOpen(): void
  onEntry(entry: Entry): void
  onLost(count: number): void
}

/**
 * Watches an operation, whose answer is server-sent events (HTML Standard §9.2), until the service ends them or `signal` aborts.
 * A browser's own EventSource tells neither why it was refused nor that nobody is signed in any more.
 * @param onOpen is called when the service has begun to answer
 * @param onLost gets how many entries the service has left out
 * @throws Problem, Unreachable
 */
export async function watch<Id extends ReadId>(
  id: Id,
  input: ReadInput<Id>,
  signal: AbortSignal,
  { onOpen, onEntry, onLost }: WatchListener<AnswerOf<Id>>,
): Promise<void> {
  const response = await answerTo(addressOfRead(id, input), {
    signal,
    headers: { accept: "text/event-stream" },
  })
  if (!response.ok || !response.body) return refuse(response, parseJson(await textOf(response)))
  onOpen()
  const parser = createParser({
    onEvent({ event = "message", data }) {
      if (event === "message") onEntry(JSON.parse(data))
      if (event === "lost") onLost(JSON.parse(data).count)
    },
  })
  try {
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader()
    for (let next = await reader.read(); !next.done; next = await reader.read()) parser.feed(next.value)
  } catch (cause) {
    throw unreachableUnlessAborted(cause)
  }
}
