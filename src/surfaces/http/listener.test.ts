import { expect, test } from "bun:test"
import { Elysia, t } from "elysia"
import { systemTimer } from "../../ports/timer.ts"
import { listen } from "./listener.ts"

const options = { host: "127.0.0.1", port: 0, shared: false, tls: null, idleSeconds: 5 }

test("an app answers over WebSocket, also one that replaces another", async () => {
  const withEcho = (mark: string) => {
    const feature = new Elysia().ws("/echo", {
      body: t.Object({ text: t.String() }),
      message: (socket, { text }) => socket.send(`${mark} ${text}`),
    })
    return new Elysia().use(feature)
  }
  const listener = listen(withEcho("first"), options, systemTimer)
  expect(await echo(listener.port)).toBe("first hello")
  listener.replaceApp(withEcho("second"))
  expect(await echo(listener.port)).toBe("second hello")
  await listener.stop(0)
})

async function echo(port: number): Promise<unknown> {
  const socket = new WebSocket(`ws://127.0.0.1:${port}/echo`)
  const { promise, resolve, reject } = Promise.withResolvers<unknown>()
  socket.onopen = () => socket.send(JSON.stringify({ text: "hello" }))
  socket.onmessage = ({ data }) => resolve(data)
  socket.onclose = ({ code, reason }) => reject(new Error(`closed with ${code} ${reason}`))
  const answer = await promise
  socket.close()
  return answer
}
