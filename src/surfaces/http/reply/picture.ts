import type { Reply } from "../../../call/pipeline.ts"
import { mediaTypeNames, preferredType } from "../../../encode/formats.ts"
import { type Picture, pictureBase64, picturesOf } from "../../../values/picture.ts"
import { type AnswerSettings, pathAndQueryOf } from "../request.ts"
import { acceptedBy } from "./format.ts"
import { setReply } from "./headers.ts"

/** An SVG that is opened by itself is a document of this origin: it must not run scripts or load anything. */
const svgPolicy = "default-src 'none'; style-src 'unsafe-inline'; sandbox"

/**
 * Makes the function that sends a picture of an API's answer to requests that prefer its media type to those of envelopes. It
 * returns null for other requests. Null for an API without pictures.
 */
export function pictureSender(output: Parameters<typeof picturesOf>[0]) {
  const pictures = picturesOf(output)
  if (pictures.length === 0) return null
  return (request: Request, reply: Reply, set: AnswerSettings): Response | null => {
    const wanted = wantedOf(request, pictures)
    const { data } = reply.envelope
    const bytes = wanted && data && pictureBase64({ ...data }, wanted)
    if (!wanted || typeof bytes !== "string") return null
    setReply(reply, "json", set)
    set.headers["content-type"] = wanted.type
    set.headers["content-security-policy"] = svgPolicy
    return new Response(Buffer.from(bytes, "base64"))
  }
}

/** `?format=` asks for an envelope, and so does a request without `Accept`. */
function wantedOf(request: Request, pictures: readonly Picture[]): Picture | undefined {
  const accept = acceptedBy(request.headers)
  if (accept === null || /[?&]format=/.test(pathAndQueryOf(request.url))) return undefined
  const type = preferredType(accept.toLowerCase(), [...mediaTypeNames, ...pictures.map((one) => one.type)])
  return pictures.find((one) => one.type === type)
}
