import { preferredType } from "../../encode/formats.ts"

/** Media types of an answer (GraphQL over HTTP §4.1). */
const json = "application/json"
const graphqlJson = "application/graphql-response+json"

/** The media type that an `Accept` header asks for; JSON when it asks for neither. */
export function mediaTypeFor(accept: string | null): string {
  if (!accept?.toLowerCase().includes(graphqlJson)) return json
  return preferredType(accept, [graphqlJson, json]) ?? json
}
