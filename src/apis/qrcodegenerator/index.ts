import { Type } from "@sinclair/typebox"
import { picture } from "../../values/picture.ts"
import { defineIsolatedApi, premium } from "../contract.ts"
import { field, storedExamples } from "../shared.ts"
import answers from "./answers.json"
import stored from "./examples.json"

export const qrcodegenerator = defineIsolatedApi({
  id: "qrcodegenerator",
  title: "QR code generator",
  category: "data",
  keywords: ["QR", "barcode", "2D code", "draw", "picture", "link", "SVG", "PNG", "ISO 18004"],
  description:
    "Draws text or a link as a QR code (ISO/IEC 18004), in SVG and, with premium fields, in PNG. Text beyond ASCII is encoded in UTF-8.",
  method: "POST",
  credits: 1,
  isolated: { limitMs: 1_000, isBounded: () => true },
  input: Type.Object({
    text: field.text(
      "The text of the code. At `low` correction it has up to 7,089 digits, 4,296 characters of `0–9 A–Z $%*+-./:` and space, or 2,953 bytes of UTF-8.",
      { minLength: 1, maxLength: 7_089 },
    ),
    correction: field.optional.choice(
      "How much of the code may be damaged: about 7, 15, 25 or 30 %. `L`, `M`, `Q` and `H` are the same. A higher level needs a larger code.",
      ["low", "medium", "quartile", "high", "L", "M", "Q", "H"],
      "medium",
    ),
    border: field.optional.integer(
      "The width of the white border, in modules. Readers need 4, unless the surroundings are white.",
      { minimum: 0, maximum: 16, default: 4 },
    ),
    scale: Type.Optional(
      premium(
        field.integer("The width of a module in the PNG, in pixels.", {
          minimum: 1,
          maximum: 16,
          default: 8,
        }),
      ),
    ),
  }),
  output: Type.Object({
    version: field.integer("The version of the code, from 1 to 40. Higher ones are larger."),
    size: field.integer("How many modules each side has, without the border."),
    svg: picture(field.text("The code as SVG."), "image/svg+xml"),
    png: premium(picture(field.text("The code as PNG, in base64."), "image/png")),
  }),
  examples: storedExamples(stored, answers),
})
