/** The calls of all APIs that ask the DNS, about the names of the hostile DNS server. */
import { type ApiDefinition, choicesOf } from "../../src/apis/contract.ts"
import { catalog } from "../../src/app/prepare.ts"
import { hostileModes } from "./hostile-modes.ts"

export interface HostileCall {
  readonly api: ApiDefinition
  readonly mode: string
  readonly input: Readonly<Record<string, unknown>>
}

export const modeNames: readonly string[] = Object.keys(hostileModes)

/** The parameters that a name can be given in. */
const namePlaces = ["domain", "name", "host", "email"] as const

/** For each trick, one call of each API, made from its first example; of some several. */
export const hostileCalls = (label: string): readonly HostileCall[] =>
  catalog
    .filter(({ asksDns }) => asksDns)
    .flatMap((api) =>
      modeNames.flatMap((mode, index) =>
        inputsFor(api, mode, index, label).map((input) => ({ api, mode, input })),
      ),
    )

function inputsFor(api: ApiDefinition, mode: string, index: number, label: string) {
  const { properties } = api.input
  const place = namePlaces.find((one) => one in properties)
  const [example] = api.examples
  const { trust_anchor: _, ...base } = example?.input ?? {}
  if (place === undefined && "ip" in properties) return [{ ...base, ip: `10.0.${index}.${label.length}` }]
  if (place === undefined) return []
  const name = `${label}.${mode}.test`
  const input = { ...base, [place]: place === "email" ? `a@${name}` : name }
  const types = "type" in properties ? (choicesOf(properties.type ?? {}) ?? []) : []
  const chosen = types.filter((type) => ["A", "MX", "TXT", "TLSA", "DNSKEY", "PTR", "ALL"].includes(type))
  return chosen.length > 0 ? chosen.map((type) => ({ ...input, type })) : [input]
}
