import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  ParentBasedSampler,
  type Sampler,
  TraceIdRatioBasedSampler,
} from "@opentelemetry/sdk-trace"

export interface SamplerSettings {
  readonly root: "always_on" | "always_off" | "traceidratio"
  readonly parentDecides: boolean
  readonly share: number
}

/** The sampler of the SDK that the settings describe. */
export function toSampler({ root, parentDecides, share }: SamplerSettings): Sampler {
  const sampler = toRoot(root, share)
  return parentDecides ? new ParentBasedSampler({ root: sampler }) : sampler
}

function toRoot(root: SamplerSettings["root"], share: number): Sampler {
  if (root === "traceidratio") return new TraceIdRatioBasedSampler(share)
  return root === "always_on" ? new AlwaysOnSampler() : new AlwaysOffSampler()
}
