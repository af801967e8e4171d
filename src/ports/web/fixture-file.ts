import type { WebFixture } from "../../apis/contract.ts"
import { isObject } from "../../values/is-object.ts"
import { readYamlDocument } from "../yaml-document.ts"
import { createFixedWeb } from "./fixed-web.ts"

/**
 * Reads a {@link WebFixture} from YAML, and so from JSON.
 * @throws Error that says what cannot be used
 */
export function parseWebFixture(text: string): WebFixture {
  const value: unknown = readYamlDocument(text, "the mapping").document?.toJS({ maxAliasCount: 100 }) ?? null
  if (value === null) return {}
  if (!isObject(value)) throw new Error("it must be a mapping from URLs to replies")
  // The reader checks each entry.
  const fixture = value as WebFixture
  createFixedWeb(fixture)
  return fixture
}
