import { parse } from "yaml"
import type { WebFixture } from "../../apis/contract.ts"
import { isObject } from "../../values/is-object.ts"
import { messageOf } from "../../values/message-of.ts"
import { createFixedWeb } from "./fixed-web.ts"

/**
 * Reads a {@link WebFixture} from YAML, and so from JSON.
 * @throws Error that says what cannot be used
 */
export function parseWebFixture(text: string): WebFixture {
  const value: unknown = readYaml(text)
  if (value === null) return {}
  if (!isObject(value)) throw new Error("it must be a mapping from URLs to replies")
  // The reader checks each entry.
  const fixture = value as WebFixture
  createFixedWeb(fixture)
  return fixture
}

function readYaml(text: string): unknown {
  try {
    return parse(text, { maxAliasCount: 100 })
  } catch (cause) {
    throw new Error(messageOf(cause).split("\n")[0], { cause })
  }
}
