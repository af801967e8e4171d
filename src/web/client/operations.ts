/** The operations of the administration as console and portal call them: by id, with the types of their definitions. */
import type { Static, TObject } from "@sinclair/typebox"
import type { FormParameter } from "../../admin/form-parameters.ts"
import type { OperatorOnly } from "../../admin/operation.ts"
import type { OperationsById } from "../../admin/operations.ts"
import { area, toQueryString } from "./address.ts"

export type { FormParameter }

/** The parts of definitions that a browser needs. An operation that changes nothing has no form. */
export type OperationFacts = {
  readonly [Id in OperationId]?: readonly [
    method: string,
    path: string,
    parameters?: Readonly<Record<string, FormParameter>>,
  ]
}

/** The bundler puts here the operations that customers can run, so that no definition gets into a browser. */
declare const CUSTOMER_OPERATIONS: OperationFacts

let known = CUSTOMER_OPERATIONS

/** Adds the operations that only operators run: the portal's script is smaller without them. */
export function addOperations(others: OperationFacts): void {
  known = { ...known, ...others }
}

/** The id of an operation, such as `plans.list`. */
export type OperationId = keyof OperationsById
/** Operations that change nothing. */
export type ReadId = {
  [Id in OperationId]: OperationsById[Id]["method"] extends "GET" ? Id : never
}[OperationId]
/** Operations that change something. */
export type SendId = Exclude<OperationId, ReadId>
/** Operations that the service runs for many things in one request. */
export type BulkId = InputOf<"bulk.run">["operation"]
/** The result of one of them. */
export type BulkResult = AnswerOf<"bulk.run">["data"][number]
/** Operations that answer a list, page by page. */
export type ListId = {
  [Id in ReadId]: AnswerOf<Id> extends PageOf<unknown> ? (InputOf<Id> extends Cursor ? Id : never) : never
}[ReadId]

/** All parameters of an operation. */
export type InputOf<Id extends OperationId> = Static<OperationsById[Id]["input"]>
/** The same for one that reads; null leaves out an optional parameter. */
export type ReadInput<Id extends ReadId> = {
  readonly [Name in keyof InputOf<Id>]: Optional<InputOf<Id>, Name> | InputOf<Id>[Name]
}
/** The answer of an operation. */
export type AnswerOf<Id extends OperationId> = Static<OperationsById[Id]["output"]>
/** An entry of a list. */
export type EntryOf<Id extends ListId> = AnswerOf<Id>["data"][number]

type Optional<Input, Name extends keyof Input> = object extends Pick<Input, Name> ? null : never

interface Cursor {
  limit?: number
  after?: string
}

interface PageOf<Entry> {
  data: Entry[]
  has_more: boolean
  next: string | null
}

/** Where an operation is called, without a query string, and which parameters do not travel in its path. */
export function requestOf(id: OperationId, input: object) {
  const [method, template] = factsOf(id)
  const rest: Record<string, unknown> = { ...input }
  const path = template.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const value = encodeURIComponent(String(rest[name]))
    delete rest[name]
    return value
  })
  return { method, path: area.api + path, rest }
}

/**
 * A parameter of an operation, as a form draws it.
 * @throws Error for one that the operation does not have, or that is a part of its path
 */
export function parameterOf(id: SendId, name: string): FormParameter {
  const parameter = factsOf(id)[2]?.[name]
  if (parameter === undefined) throw new Error(`no form can ask for '${name}' of ${id}`)
  return parameter
}

function factsOf(id: OperationId) {
  const facts = known[id]
  if (facts === undefined) throw new Error(`${id} is not for this front end`)
  return facts
}

/** The address of an operation that reads, with its parameters. */
export function addressOfRead<Id extends ReadId>(id: Id, input: ReadInput<Id>): string {
  const { path, rest } = requestOf(id, input)
  return path + toQueryString(rest)
}

/** A customer's answer of an operation: all fields but those that its definition marks as the operator's. */
type OwnAnswerOf<Id extends OperationId> =
  OperationsById[Id]["output"] extends TObject<infer Fields>
    ? Static<
        TObject<{
          [Name in keyof Fields as Fields[Name] extends OperatorOnly ? never : Name]: Fields[Name]
        }>
      >
    : never

/** An account as its customer sees it. */
export type OwnAccount = OwnAnswerOf<"accounts.get">
/** A key as the customer of its account sees it. */
export type OwnKey = OwnAnswerOf<"keys.get">
export type Account = AnswerOf<"accounts.get">
export type Key = AnswerOf<"keys.get">
export type Plan = EntryOf<"plans.list">
export type Notice = EntryOf<"notices.list">
export type Webhook = AnswerOf<"webhooks.get">
