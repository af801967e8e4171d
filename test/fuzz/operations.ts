import type { OpenApiDocument } from "../../src/surfaces/openapi/json-object.ts"

/** The parts of a JSON Schema that the generator uses. */
export interface Schema {
  readonly type?: string | readonly string[]
  readonly enum?: readonly unknown[]
  readonly minimum?: number
  readonly maximum?: number
  readonly minLength?: number
  readonly maxItems?: number
  readonly items?: Schema
  readonly required?: readonly string[]
  readonly properties?: Readonly<Record<string, Schema>>
}

/** A parameter of a query, a path or the headers. */
export interface Parameter {
  readonly name: string
  readonly in: string
  readonly schema: Schema
  readonly required: boolean
  /** Values that the document gives as examples. */
  readonly samples: readonly unknown[]
}

/** One method of one path of the OpenAPI document, with references followed. */
export interface Operation {
  readonly id: string
  readonly method: string
  readonly path: string
  readonly parameters: readonly Parameter[]
  readonly body: { readonly schema: Schema; readonly samples: readonly unknown[] } | null
  /** The parameters that a 400 may name. */
  readonly names: ReadonlySet<string>
}

type Node = Readonly<Record<string, unknown>>

/** All operations of a document. */
export const operationsOf = (document: OpenApiDocument): Operation[] =>
  Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => toOperation(path, method, operation as Node, document)),
  )

function toOperation(path: string, method: string, node: Node, document: OpenApiDocument): Operation {
  const parameters = ((node.parameters ?? []) as Node[])
    .map((one) => resolve(one, document) as Node)
    .map(({ name, in: place, schema, required, examples }) => ({
      name: String(name),
      required: required === true,
      in: String(place),
      schema: schema as Schema,
      samples: samplesOf(examples),
    }))
  const body = bodyOf(node, document)
  return {
    id: String(node.operationId),
    method: method.toUpperCase(),
    path,
    parameters,
    body,
    names: new Set([
      ...parameters.map(({ name }) => name),
      ...(body ? ["body", ...Object.keys(body.schema.properties ?? {})] : []),
    ]),
  }
}

function bodyOf(node: Node, document: OpenApiDocument): Operation["body"] {
  const request = node.requestBody as { content: Record<string, Node> } | undefined
  const media = request?.content["application/json"]
  if (!media) return null
  const shown = "example" in media ? [media.example] : []
  return {
    schema: resolveAll(media.schema, document) as Schema,
    samples: [...shown, ...samplesOf(media.examples)],
  }
}

const samplesOf = (examples: unknown): unknown[] =>
  Object.values((examples ?? {}) as Record<string, Node>).map(({ value }) => value)

function resolve(node: unknown, document: OpenApiDocument): unknown {
  const { $ref } = (node ?? {}) as { $ref?: string }
  if ($ref === undefined) return node
  return $ref
    .split("/")
    .slice(1)
    .reduce<unknown>((at, step) => (at as Node)[step], document)
}

function resolveAll(node: unknown, document: OpenApiDocument): unknown {
  const found = resolve(node, document)
  if (Array.isArray(found)) return found.map((part) => resolveAll(part, document))
  if (typeof found !== "object" || found === null) return found
  return Object.fromEntries(Object.entries(found).map(([name, part]) => [name, resolveAll(part, document)]))
}
