import { shorten } from "./text.ts"

const place = /^\d+:\d+: /
/** The messages of the parser saxes, and what they mean. `$1` is a name from the document. */
const meanings: readonly (readonly [message: RegExp, meaning: string])[] = [
  [/^unclosed tag: (.*)/s, "the element '$1' is not closed"],
  [/^unmatched closing tag: (.*)\./s, "the closing tag '$1' fits no open element"],
  [/^unbound namespace prefix: "(.*)"/s, "the prefix '$1' has no namespace"],
  [/^duplicate attribute: (.*)\./s, "the attribute '$1' is there twice"],
  [/clos(?:e|ing) tag/, "a closing tag fits no open element"],
  [/only one root|text data outside/, "there is more than one element at the top, or text beside it"],
  [/must contain a root|unexpected end/, "the text ends too early"],
  [/doctype/, "a document type declaration is in the wrong place"],
  [/attribute|whitespace required/, "an attribute is not a name, an equals sign and a quoted value"],
  [/entity/, "an entity is unknown, or an & is not written as &amp;"],
  [/comment/, "a comment is not closed, or has -- in it"],
  [
    /declaration|version|encoding value|standalone|value|expected/,
    "the XML declaration is wrong, or not at the beginning",
  ],
  [/name|tag|syntax/, "an element has no proper name, or a < is not written as &lt;"],
]

/** Says in a clause why an XML text is not well-formed, by the error of the parser saxes. */
export function explainXml(error: Error): string {
  const text = error.message.replace(place, "")
  for (const [message, meaning] of meanings) {
    const found = message.exec(text)
    if (found) return meaning.replace("$1", () => shorten(found[1] ?? "", 100))
  }
  return "it has a character that XML does not allow there"
}
