import { CloneType, type TSchema, Type } from "@sinclair/typebox"
import type { DocumentDecoration } from "elysia"
import type { ApiDefinition } from "../../apis/contract.ts"

/** What the route of an API carries besides its handler. */
interface RouteHooks {
  /** The pipeline reads the body, once the caller is admitted. */
  readonly parse: "none"
  readonly detail: DocumentDecoration
}

/**
 * Describes an API's route for readers of the app. The schemas are clones, since Elysia changes those it gets, and in `detail`:
 * in `query` or `body` Elysia would check parameters with them before the caller is known (decision 14).
 */
export function routeOf({ title, description, method, input, output }: ApiDefinition): RouteHooks {
  return {
    parse: "none",
    detail: {
      summary: title,
      description,
      tags: ["apis"],
      ...(method === "GET" ? { parameters: parametersOf(input) } : { requestBody: { content: json(input) } }),
      responses: { 200: { description: "The `data` of the answer.", content: json(output) } },
    },
  }
}

/** The same for the batch of an API, which takes up to `maxItems` inputs. */
export function batchRouteOf({ title, input }: ApiDefinition, maxItems: number): RouteHooks {
  const body = Type.Object({ inputs: Type.Array(input, { minItems: 1, maxItems }) })
  return {
    parse: "none",
    detail: { summary: `${title}, for many inputs`, tags: ["batch"], requestBody: { content: json(body) } },
  }
}

function parametersOf(input: ApiDefinition["input"]) {
  return Object.entries(input.properties).map(([name, schema]) => ({
    name,
    in: "query",
    required: input.required?.includes(name) === true,
    schema: CloneType(schema),
  }))
}

function json(schema: TSchema) {
  return { "application/json": { schema: CloneType(schema) } }
}
