import profile from "./svg-profile.json"

/** The allowed values of each attribute that has a list of them. The others may be any text. */
export const attributeValues: Readonly<Record<string, readonly string[]>> = profile.values

/** The only forms of `preserveAspectRatio`. */
export const aspectRatio = /^\s*(?:none|xMidYMid)\s*(?:meet)?\s*$/

interface StoredRule {
  /** Names of groups of attributes. */
  readonly groups: readonly string[]
  /** Further attributes. */
  readonly attributes: readonly string[]
  readonly children?: readonly string[]
  readonly hasText?: boolean
}

interface ElementRule {
  readonly attributes: ReadonlySet<string>
  /** The elements that it may hold. */
  readonly children: ReadonlySet<string>
  readonly hasText: boolean
}

const groups: Readonly<Record<string, readonly string[]>> = profile.groups

/** Every element of the profile. */
export const elements: ReadonlyMap<string, ElementRule> = new Map(
  Object.entries<StoredRule>(profile.elements).map(([name, rule]) => [
    name,
    {
      attributes: new Set([...rule.groups.flatMap((group) => groups[group] ?? []), ...rule.attributes]),
      children: new Set(rule.children),
      hasText: rule.hasText ?? false,
    },
  ]),
)
