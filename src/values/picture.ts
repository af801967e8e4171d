import type { TObject, TSchema } from "@sinclair/typebox"

const mark = "x-picture"

/** Media types of pictures. SVG is in its field as text, PNG in base64. */
type PictureType = "image/svg+xml" | "image/png"

/** A picture in an answer. */
export interface Picture {
  readonly name: string
  readonly type: PictureType
}

/**
 * Marks a top-level output field as a picture. A REST client that asks for its media type gets the picture itself, and an agent
 * gets it as an image.
 * @example
 * const output = Type.Object({ svg: picture(Type.String({ description: "The code as SVG." }), "image/svg+xml") })
 */
export function picture<T extends TSchema>(schema: T, type: PictureType): T {
  return { ...schema, [mark]: type }
}

/** The pictures of an answer, in the order of its fields. */
export function picturesOf({ properties }: TObject): readonly Picture[] {
  return Object.entries(properties).flatMap(([name, schema]) => {
    const type = schema[mark] as PictureType | undefined
    return type === undefined ? [] : [{ name, type }]
  })
}

/** The bytes of a picture in base64; null if the data lacks it, as on a plan without premium fields. */
export function pictureBase64(data: Readonly<Record<string, unknown>>, { name, type }: Picture) {
  const value = data[name]
  if (typeof value !== "string") return null
  return type === "image/svg+xml" ? Buffer.from(value).toString("base64") : value
}
