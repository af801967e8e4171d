import type { ApiDocInput } from "../openapi/json-object.ts"

/** The service in short, for a program that opens its address. */
export function indexOf({ version, apis, mcp, graphql }: ApiDocInput) {
  return {
    name: "penknife",
    version,
    apis: apis.map(({ definition: { id, title, method }, credits }) => ({
      id,
      title,
      method,
      path: `/v1/${id}`,
      credits,
      documentation: `/docs/${id}.md`,
    })),
    links: {
      openapi: "/openapi.json",
      documentation: "/docs",
      catalog: "/.well-known/api-catalog",
      llms: "/llms.txt",
      ...(graphql && { graphql: "/v1/graphql" }),
      ...(mcp && { mcp: "/mcp" }),
    },
  }
}
