/** Keeps all threads that the runtime has for files and names, sends to a URL, and prints what came back. */
import { readFile } from "node:fs/promises"
import { systemTimer } from "../../src/ports/timer.ts"
import { createWebhookSender } from "../../src/ports/webhook-sender.ts"

const [pipe = "", url = ""] = process.argv.slice(2)
/** More than the runtime has threads: as many as the machine has processors. */
const reads = 1_000
// Nobody writes to the pipe, so each read waits in its thread.
for (let read = 0; read < reads; read++) void readFile(pipe)
const sender = createWebhookSender({ timer: systemTimer })
console.log(JSON.stringify(await sender.send({ url, headers: {}, body: "{}", allows: () => true })))
// The runtime would wait for its threads.
process.kill(process.pid, "SIGKILL")
