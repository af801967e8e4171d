import { expect, test } from "bun:test"
import type { Tracer } from "../ports/tracer.ts"
import { beginDelivery } from "./attempt.ts"

type Notice = Parameters<typeof beginDelivery>[0]

/** The attributes that the span of an attempt begins with. */
function attributesOf(url: string, attempts: number) {
  const described: unknown[] = []
  const tracer: Pick<Tracer, "begin"> = {
    begin(_parent, _kind, describe) {
      described.push(describe().attributes)
      return null
    },
  }
  const notice = {
    traceparent: null,
    type: "key.created",
    id: "msg_1",
    accountId: "acc_1",
    webhook: { url },
    attempts,
  }
  beginDelivery(notice as Notice, tracer as Tracer)
  return described[0]
}

// https://opentelemetry.io/docs/specs/semconv/http/http-spans/
test.each([
  ["https://hooks.example/a?b=c", "hooks.example", 443],
  ["http://192.0.2.1/", "192.0.2.1", 80],
  ["http://[2001:db8::1]:8080/", "2001:db8::1", 8080],
])("host and port of %s are named as the conventions say", (url, address, port) => {
  expect(attributesOf(url, 0)).toMatchObject({ "server.address": address, "server.port": port })
})

test("only an attempt after the first has a count of repetitions", () => {
  expect(attributesOf("https://a.example/", 0)).not.toHaveProperty(["http.request.resend_count"])
  expect(attributesOf("https://a.example/", 2)).toHaveProperty(["http.request.resend_count"], 2)
})
