import { Type } from "@sinclair/typebox"
import { picture } from "../../values/picture.ts"
import { choice, defineIsolatedApi, premium } from "../contract.ts"
import { field, storedExamples } from "../shared.ts"
import answers from "./answers.json"
import stored from "./examples.json"
import { kindNames } from "./kinds.ts"

export const barcodegenerator = defineIsolatedApi({
  id: "barcodegenerator",
  title: "Barcode generator",
  category: "data",
  keywords: [
    ...["EAN", "UPC", "Code 128", "GS1", "ISBN", "ITF-14", "Data Matrix", "Aztec", "PDF417", "label"],
    ...["draw", "make", "picture", "SVG", "PNG"],
  ],
  description:
    "Draws a number or text as a barcode of one of 30 kinds, from EAN-13 to Data Matrix, in SVG and, with premium fields, in PNG. It adds missing check digits and refuses wrong ones.",
  method: "POST",
  credits: 1,
  isolated: { limitMs: 2_000 },
  input: Type.Object({
    text: field.text(
      "The content of the barcode, in the form that its kind needs. Barcodes made of bars hold at most 80 ASCII characters.",
      { minLength: 1, maxLength: 1_800 },
    ),
    kind: choice(kindNames, {
      description:
        "The kind of barcode. GS1 kinds need elements, such as `(01)09521234543213(10)ABC`; kinds for one number also take it alone.",
    }),
    show_text: field.optional.flag("Whether the text is written below, for kinds made of bars.", {
      default: true,
    }),
    scale: Type.Optional(
      premium(
        field.integer(
          "The width of the thinnest bar in the PNG, in pixels; a module of a square kind is twice as wide.",
          { minimum: 1, maximum: 8, default: 3 },
        ),
      ),
    ),
  }),
  output: Type.Object({
    encoded: field.text("The text that was encoded, with its check digit if the kind has one."),
    svg: picture(field.text("The barcode as SVG."), "image/svg+xml"),
    png: premium(picture(field.text("The barcode as PNG, in base64."), "image/png")),
  }),
  examples: storedExamples(stored, answers),
})
