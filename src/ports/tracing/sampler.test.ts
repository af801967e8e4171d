import { expect, test } from "bun:test"
import { ROOT_CONTEXT, SamplingDecision, SpanKind } from "@opentelemetry/api"
import { RandomIdGenerator } from "@opentelemetry/sdk-trace"
import { createDraw, toSampler } from "./otel-tracer.ts"

const ids = new RandomIdGenerator()

function isSampled(id: string, share: number): boolean {
  const sampler = toSampler({ root: "traceidratio", parentDecides: false, share })
  const { decision } = sampler.shouldSample(ROOT_CONTEXT, id, "", SpanKind.SERVER, {}, [])
  return decision === SamplingDecision.RECORD_AND_SAMPLED
}

test.each([0, 0.01, 0.5, 0.999, 1])(
  "a share of %d is drawn, with ids that the SDK's sampler records too",
  (share) => {
    // Even steps instead of random numbers, so that the share is exact.
    const steps = 10_000
    let step = 0
    const draw = createDraw({ root: "traceidratio", parentDecides: true, share }, ids, () => step++ / steps)
    const drawn = Array.from({ length: steps }, draw).filter((id) => id !== null)
    expect(drawn).toHaveLength(share * steps)
    expect(new Set(drawn).size).toBe(drawn.length)
    for (const id of drawn) {
      expect(id).toMatch(/^[0-9a-f]{32}$/)
      expect(isSampled(id, share)).toBe(true)
    }
    // A smaller share elsewhere records a part of them.
    const half = drawn.filter((id) => isSampled(id, share / 2)).length
    expect(Math.abs(half - drawn.length / 2)).toBeLessThanOrEqual(share === 1 ? 250 : 1)
  },
)

test("all and none", () => {
  const settings = { parentDecides: true, share: 1 }
  expect(createDraw({ ...settings, root: "always_on" }, ids, Math.random)()).toMatch(/^[0-9a-f]{32}$/)
  expect(createDraw({ ...settings, root: "always_off" }, ids, Math.random)()).toBeNull()
})
