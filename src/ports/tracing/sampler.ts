import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  type IdGenerator,
  ParentBasedSampler,
  type Sampler,
  TraceIdRatioBasedSampler,
} from "@opentelemetry/sdk-trace"

export interface SamplerSettings {
  readonly root: "always_on" | "always_off" | "traceidratio"
  /** Whether the sender of a request decides, if it sends a decision. */
  readonly parentDecides: boolean
  /** For `traceidratio`, 0 to 1. */
  readonly share: number
}

/** The sampler of the SDK that the settings describe, for requests that belong to a trace already. */
export function toSampler({ root, parentDecides, share }: SamplerSettings): Sampler {
  const sampler = toRoot(root, share)
  return parentDecides ? new ParentBasedSampler({ root: sampler }) : sampler
}

function toRoot(root: SamplerSettings["root"], share: number): Sampler {
  if (root === "traceidratio") return new TraceIdRatioBasedSampler(share)
  return root === "always_on" ? new AlwaysOnSampler() : new AlwaysOffSampler()
}

/**
 * Returns a function that decides for a request without a trace: it returns the id of a new one, or null if it is not recorded.
 * The SDK's sampler would decide by an id that is made for each request, which takes 4 % of a metered call. It looks at the
 * exclusive or of the id's four words; here that is drawn first, so that every sampler of the kind agrees with an id that is
 * made.
 * @param random a number from 0 up to 1
 */
export function createDraw(
  { root, share }: SamplerSettings,
  ids: Pick<IdGenerator, "generateTraceId">,
  random: () => number,
): () => string | null {
  if (root === "always_on" || (root === "traceidratio" && share === 1)) return () => ids.generateTraceId()
  if (root === "always_off") return () => null
  const bound = Math.floor(share * 0xffffffff)
  return () => {
    const drawn = Math.floor(random() * 2 ** 32)
    if (drawn >= bound) return null
    const id = ids.generateTraceId()
    const words = [0, 8, 16].map((start) => Number.parseInt(id.slice(start, start + 8), 16))
    const last = words.reduce((sum, word) => sum ^ word, drawn) >>> 0
    return id.slice(0, 24) + last.toString(16).padStart(8, "0")
  }
}
