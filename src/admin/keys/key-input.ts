import { type Static, type TSchema, type TString, Type } from "@sinclair/typebox"
import { maxCallsPerMinute } from "../../accounts/plan.ts"
import {
  refuseHidden,
  requireApis,
  requireExpiry,
  requireName,
  requireNetworks,
} from "../../accounts/requirements.ts"
import { nullable } from "../../apis/contract.ts"
import type { KeyDetails } from "../../store/admin-store.ts"
import {
  apiId,
  externalId,
  metadata,
  optionalText,
  requireMetadata,
  timeAheadFormat,
  timeAheadRequirement,
} from "../fields.ts"
import type { AdminContext } from "../operation.ts"

const maxListItems = 1_000

/** The parameters of a key that can be set when it is created and later. */
export const keyParameters = {
  name: optionalText("The key's name.", { maxLength: 200 }),
  expires: optionalOrNull(
    Type.String({ maxLength: 40, format: timeAheadFormat }),
    "When it stops working: 2027-01-31, 2027-01-31T12:00:00Z, or 30d from now. Null for never.",
    `${timeAheadRequirement}; null for never`,
  ),
  allow_apis: list("Ids of the only APIs that it may call. An empty list allows all.", apiId),
  block_apis: list("Ids of APIs that it may not call.", apiId),
  allow_ips: list(
    "The only networks that it may be used from, as CIDR. An empty list allows any.",
    Type.String({ maxLength: 100 }),
  ),
  rate_limit: optionalOrNull(
    Type.Integer({ minimum: 1, maximum: maxCallsPerMinute }),
    "Calls a minute for this key alone. Null for no limit.",
    `must be a whole number from 1 to ${maxCallsPerMinute.toLocaleString("en-US")} calls a minute, or null`,
  ),
  external_id: optionalOrNull(
    externalId,
    `${externalId.description} Null for none.`,
    "must be a text of 1 to 200 characters, or null",
  ),
  metadata: Type.Optional(metadata),
}

type KeyInput = Static<ReturnType<typeof Type.Object<typeof keyParameters>>>

/** The fields of a key that an operator sets. */
type KeySettings = Pick<
  KeyDetails,
  "name" | "expiresMs" | "allowApis" | "blockApis" | "allowIps" | "rateLimit" | "externalId" | "metadata"
>

type KeyParts = Pick<AdminContext, "clock" | "prices">

/**
 * Checks the given parameters of a key, and converts them for the store.
 * @throws AccountError or AdminFault for the first that cannot be used
 */
export function readKeySettings(input: KeyInput, { clock, prices }: KeyParts): Partial<KeySettings> {
  const { name, expires, allow_apis, block_apis, allow_ips, rate_limit, external_id, metadata } = input
  const apiIds = [...prices.keys()]
  // A key may have no name.
  if (name) requireName(name, "The name of a key")
  if (external_id) refuseHidden(external_id, "The external id", "external_id")
  return {
    ...(name !== undefined && { name }),
    ...(expires !== undefined && {
      expiresMs: expires === null ? null : requireExpiry(expires, clock.now()),
    }),
    ...(allow_apis && { allowApis: orNull(requireApis(allow_apis, apiIds, "allow_apis")) }),
    ...(block_apis && { blockApis: requireApis(block_apis, apiIds, "block_apis") }),
    ...(allow_ips && { allowIps: orNull(requireNetworks(allow_ips)) }),
    ...(rate_limit !== undefined && { rateLimit: rate_limit }),
    ...(external_id !== undefined && { externalId: external_id }),
    ...(metadata !== undefined && { metadata: requireMetadata(metadata) }),
  }
}

/** A client that sends an empty list means no limit, not that nothing is allowed. */
function orNull(items: readonly string[]): readonly string[] | null {
  return items.length === 0 ? null : items
}

function list(description: string, item: TString) {
  return Type.Optional(Type.Array(item, { maxItems: maxListItems, uniqueItems: true, description }))
}

function optionalOrNull<T extends TSchema>(schema: T, description: string, requirement: string) {
  return Type.Optional({ ...nullable(schema, { description }), "x-requirement": requirement })
}
