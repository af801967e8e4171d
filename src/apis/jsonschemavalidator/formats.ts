import { value } from "@hyperjump/browser"
import { getShouldValidateFormat } from "@hyperjump/json-schema/draft-2020-12"
import type { Keyword } from "@hyperjump/json-schema/experimental"
import { value as instanceValue, type JsonNode } from "@hyperjump/json-schema/instance/experimental"
import {
  isDate,
  isDateTime,
  isDuration,
  isEmail,
  isHostname,
  isIdnEmail,
  isIPv4,
  isIPv6,
  isIri,
  isIriReference,
  isJsonPointer,
  isRegex,
  isRelativeJsonPointer,
  isUri,
  isUriReference,
  isUriTemplate,
  isUuid,
} from "@hyperjump/json-schema-formats"
import { isIdnHostname } from "idn-hostname"
import { shorten } from "../../values/text.ts"
import { reject } from "../contract.ts"

/** The formats of JSON Schema 2020-12 (validation, section 7.3). */
const formats = new Map<string, (text: string) => boolean>(
  Object.entries({
    "date-time": isDateTime,
    date: isDate,
    time: isTime,
    duration: isDuration,
    email: isEmail,
    "idn-email": isIdnMailbox,
    hostname: (text: string) => isHostname(text) && isIdn(text),
    "idn-hostname": isIdn,
    ipv4: isIPv4,
    ipv6: isIPv6,
    uri: isUri,
    "uri-reference": isUriReference,
    iri: isIri,
    "iri-reference": isIriReference,
    uuid: isUuid,
    "uri-template": isUriTemplate,
    "json-pointer": isJsonPointer,
    "relative-json-pointer": isRelativeJsonPointer,
    regex: isRegex,
  }),
)

/** A leap second is the last one of a day of UTC (RFC 3339 §5.7). */
function isTime(text: string): boolean {
  const found =
    /^(?:([01]\d|2[0-3]):([0-5]\d):([0-5]\d|60))(?:\.\d+)?(?:z|([+-])([01]\d|2[0-3]):([0-5]\d))$/i.exec(text)
  if (!found) return false
  const [, hour, minute, second, sign, offsetHour = 0, offsetMinute = 0] = found
  const offset = Number(offsetHour) * 60 + Number(offsetMinute)
  const minutes = Number(hour) * 60 + Number(minute) + (sign === "-" ? offset : -offset)
  return second !== "60" || (minutes + 1) % 1_440 === 0
}

/** A name has at most 253 bytes. Mapping can make it shorter, but the libraries take time by the square of a long one. */
const maxNameLength = 1_000

/** An internationalized name (RFC 5890) without a dot at its end. */
function isIdn(text: string): boolean {
  return text.length <= maxNameLength && !/[.\uff0e\u3002\uff61]$/.test(text) && isIdnHostname(text)
}

/** The part of an address before its `@` (RFC 6531 §3.3). */
const localPart =
  /^(?:[\w!#$%&'*+\-/=?^`{|}~\u{80}-\u{d7ff}\u{e000}-\u{10ffff}]+(?:\.[\w!#$%&'*+\-/=?^`{|}~\u{80}-\u{d7ff}\u{e000}-\u{10ffff}]+)*|"(?:[ !#-[\]-~\u{80}-\u{d7ff}\u{e000}-\u{10ffff}]|\\[ -~])*")(?=@)/u

/**
 * The library reads each letter of the local part in two ways, which takes exponential time, so it only gets the rest. It would
 * write the domain to the console if it is wrong.
 */
function isIdnMailbox(text: string): boolean {
  const [local] = localPart.exec(text) ?? []
  const rest = text.slice(local?.length)
  if (local === undefined || rest.length > maxNameLength) return false
  return (rest.startsWith("@[") || isIdn(rest.slice(1))) && isIdnEmail(`a${rest}`)
}

/** Whether a value is no text, or has the format. Some checks of the libraries throw at what is wrong. */
function hasFormat(name: string, instance: JsonNode): boolean {
  const text = instanceValue<unknown>(instance)
  if (typeof text !== "string") return true
  try {
    return formats.get(name)?.(text) ?? true
  } catch (thrown) {
    if (thrown instanceof RangeError) throw thrown
    return false
  }
}

const prefix = "https://json-schema.org/keyword/"

/** The keyword `format`, which is checked where the caller asks for it. */
function formatOf(draft: string): Keyword<string> {
  return {
    id: `${prefix}${draft}/format`,
    compile: async (schema) => value<string>(schema),
    interpret: (name, instance) => getShouldValidateFormat() !== true || hasFormat(name, instance),
    annotation: (name) => name,
  }
}

/** With the vocabulary for it, a schema with a format that is not known is refused (validation, section 7.2.2). */
const assertion: Keyword<string> = {
  id: `${prefix}draft-2020-12/format-assertion`,
  async compile(schema) {
    const name = value<string>(schema)
    if (formats.has(name)) return name
    reject(
      "schema",
      `must have known formats, since its meta-schema checks them, and has '${shorten(String(name), 100)}'`,
    )
  },
  interpret: hasFormat,
  annotation: (name) => name,
}

export const formatKeywords = [formatOf("draft-07"), formatOf("draft-2020-12"), assertion]
