/** The parts of an OpenAPI document that the playground reads. */
export interface CatalogDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, ApiOperation>>>>
  readonly components: { readonly schemas?: Readonly<Record<string, InputSchema>> }
}

interface ApiOperation {
  readonly operationId: string
  readonly tags?: readonly string[]
  readonly summary: string
  readonly description: string
  readonly "x-credits"?: number
  readonly parameters?: readonly QueryParameter[]
  readonly responses?: { readonly 200?: Message<{ readonly data: unknown }> }
  readonly requestBody?: Message<Values>
}

/** The forms of a body or an answer, by media type. The schema of an answer is an envelope with a reference. */
interface Message<Value> {
  readonly content: Readonly<Record<string, Shown<Value> & { readonly schema: Reference }>>
}

interface Shown<Value> {
  readonly examples?: Readonly<Record<string, { readonly value: Value; readonly description?: string }>>
}

interface Reference {
  readonly $ref?: string
  readonly properties?: { readonly data?: Reference }
}

interface QueryParameter extends Shown<unknown> {
  readonly name?: string
  readonly required?: boolean
  readonly description?: string
  readonly schema?: ParameterSchema
  readonly "x-premium"?: boolean
}

interface InputSchema {
  readonly properties?: Readonly<Record<string, ParameterSchema>>
  readonly required?: readonly string[]
}

/** The JSON Schema of one parameter. */
interface ParameterSchema {
  readonly type?: string
  readonly enum?: readonly string[]
  readonly anyOf?: readonly unknown[]
  readonly format?: string
  readonly pattern?: string
  readonly default?: unknown
  readonly minimum?: number
  readonly maximum?: number
  readonly description?: string
  readonly "x-premium"?: boolean
  readonly "x-secret"?: boolean
  /** The media type of a picture; only fields of answers have it. */
  readonly "x-picture"?: string
  /** Whether it is the list of an audit's checks; only a field of answers has it. */
  readonly "x-report"?: boolean
}

/** Whether a parameter takes any JSON value. */
export function isJson({ type, enum: choices, anyOf }: ParameterSchema): boolean {
  return type === undefined && choices === undefined && anyOf === undefined
}

type Values = Readonly<Record<string, unknown>>

export interface OfferedParameter {
  readonly name: string
  readonly description: string
  readonly isRequired: boolean
  readonly isPremium: boolean
  readonly schema: ParameterSchema
}

/** A call that the form can make: of an API, or a query of GraphQL. */
export interface Callable {
  /** The address without `/v1/`. */
  readonly id: string
  readonly method: "GET" | "POST"
  /** The label of the button that sends it. */
  readonly submit: string
  /** The price of a successful call; null where it depends on the call. */
  readonly credits: number | null
  readonly parameters: readonly OfferedParameter[]
  /** Whether the answer comes in other formats than JSON too. */
  readonly hasFormats: boolean
  /** The fields of the answer that are pictures, with their media types. */
  readonly pictures: readonly (readonly [name: string, type: string])[]
  /** Whether the answer is an audit, which is shown as a report. */
  readonly isAudit: boolean
  /** Reads the errors of an answer whose status does not tell of all. */
  readonly readErrors?: (body: string) => readonly string[]
  /** The parameters of a call that succeeds. */
  readonly example: Values
  /** A note next to that call; null for none. */
  readonly exampleNote: string | null
}

/** One API that can be called. */
export interface OfferedApi extends Callable {
  readonly title: string
  /** The heading under which it is listed. */
  readonly category: string
  readonly description: string
  readonly credits: number
  /** The characters of its answer as JSON. */
  readonly answerLength: number
}

/** The APIs of the catalog: the paths that also take batches. The tag of their operations is their category. */
export function toOfferedApis({ paths, components }: CatalogDocument): readonly OfferedApi[] {
  return Object.entries(paths).flatMap(([path, operations]) => {
    const [[method, operation] = []] = Object.entries(operations)
    if (!operation || !paths[`${path}/batch`]) return []
    const body = operation.requestBody?.content["application/json"]
    const schemaOf = (reference?: Reference) => components.schemas?.[reference?.$ref?.split("/").at(-1) ?? ""]
    const schema = schemaOf(body?.schema)
    const answer = operation.responses?.[200]?.content["application/json"]
    const data = schemaOf(answer?.schema.properties?.data)
    const [answered] = Object.values(answer?.examples ?? {})
    return {
      id: operation.operationId,
      title: operation.summary,
      category: operation.tags?.[0] ?? "",
      description: operation.description,
      method: method === "get" ? ("GET" as const) : ("POST" as const),
      credits: operation["x-credits"] ?? 0,
      submit: "Send the call",
      hasFormats: true,
      parameters: schema ? ofBody(schema) : ofQuery(operation.parameters ?? []),
      pictures: Object.entries(data?.properties ?? {}).flatMap(([name, { "x-picture": type }]) =>
        type === undefined ? [] : [[name, type] as const],
      ),
      isAudit: Object.values(data?.properties ?? {}).some((field) => field["x-report"] === true),
      example: body
        ? (Object.values(body.examples ?? {})[0]?.value ?? {})
        : exampleOf(operation.parameters ?? []),
      exampleNote: noteOf(body ? [body] : (operation.parameters ?? [])),
      answerLength: answered ? JSON.stringify(answered.value.data).length : Number.POSITIVE_INFINITY,
    }
  })
}

/** The API for a first call, as on the landing page: the one with the shortest answer of all first examples. */
export function firstApi(apis: readonly OfferedApi[]): OfferedApi | undefined {
  return apis.toSorted((one, other) => one.answerLength - other.answerLength)[0]
}

function ofBody({ properties = {}, required = [] }: InputSchema): readonly OfferedParameter[] {
  return Object.entries(properties).map(([name, schema]) => ({
    name,
    description: schema.description ?? "",
    isRequired: required.includes(name),
    isPremium: schema["x-premium"] === true,
    schema,
  }))
}

/** `format`, which is a reference, is chosen elsewhere. */
function ofQuery(parameters: readonly QueryParameter[]): readonly OfferedParameter[] {
  return parameters.flatMap(({ name, description = "", required = false, schema = {}, ...marks }) =>
    name === undefined
      ? []
      : [{ name, description, isRequired: required, isPremium: marks["x-premium"] === true, schema }],
  )
}

function noteOf(places: readonly Pick<QueryParameter, "examples">[]): string | null {
  const notes = places.flatMap(({ examples = {} }) =>
    Object.values(examples).map(({ description }) => description),
  )
  return notes[0] ?? null
}

/** The values of the first example. Parameters that it does not have stay empty. */
function exampleOf(parameters: readonly QueryParameter[]): Values {
  const [first] = parameters.flatMap(({ examples = {} }) => Object.keys(examples))
  return Object.fromEntries(
    parameters.flatMap(({ name, examples = {} }) => {
      const example = first === undefined ? undefined : examples[first]
      return name === undefined || example === undefined ? [] : [[name, example.value]]
    }),
  )
}
