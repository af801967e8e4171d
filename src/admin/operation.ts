import { type Static, type TObject, type TSchema, type TString, Type } from "@sinclair/typebox"
import type { PortalAction } from "../accounts/plan.ts"
import type { Mutation } from "../store/admin-store.ts"
import type { FileContent } from "../values/file-content.ts"
import type { AdminFault } from "./fault.ts"
import type { AdminParts, Subscription } from "./parts.ts"
import type { Permission } from "./permission.ts"

/** All of an operation but its method and what it does. */
interface OperationHead<Input extends TObject, Output extends TSchema, Id extends string> {
  /** Plural resource and verb: `keys.rotate`. */
  readonly id: Id
  /** A few words, for headings. */
  readonly title: string
  /** One or two sentences for documentation and help. */
  readonly description: string
  /** Null if everyone who is signed in may run it. */
  readonly permission: Permission | null
  /** Below `/admin/v1`. Names in braces are parameters of the input: `/keys/{id}/rotate`. */
  readonly path: string
  /** More paths of the same operation, with fewer parameters in them. */
  readonly otherPaths?: readonly string[]
  /**
   * All parameters, each with a description. Parameters that the path does not name travel in the query string of a GET and in
   * the JSON body of other methods.
   */
  readonly input: Input
  /** The answer. Fields that are marked with {@link secret} are shown once and never stored. */
  readonly output: Output
  /**
   * `json-lines`: the answer is all entries of a list, page after page, one JSON object a line (`application/x-ndjson`). JSON
   * by default.
   */
  readonly format?: "json-lines"
  /** The status of the answer; 200 by default. */
  readonly status?: 200 | 201
  /** True when it may take minutes: timeouts of client and service are longer. */
  readonly isLong?: boolean
  /** True when it cannot be undone: the command asks before it. */
  readonly isFinal?: boolean
  /** How customers may run it in the portal; absent if only operators may. */
  readonly portal?: PortalAccess
  /** Valid parameters, for documentation. */
  readonly example: Readonly<Record<string, unknown>>
  readonly command: OperationCommand
  /** More commands for the same operation, such as `account rename` for one field of `accounts.update`. */
  readonly otherCommands?: readonly OperationCommand[]
}

/**
 * One operation of the administration. Its HTTP route, command, OpenAPI operation, permission check and audit record all follow
 * from this.
 */
export interface Operation<
  Input extends TObject = TObject,
  Output extends TSchema = TSchema,
  Id extends string = string,
  Method extends OperationMethod = OperationMethod,
> extends OperationHead<Input, Output, Id> {
  readonly method: Method
  /** In a watch, `output` is one event; of a file, it is text that stands for its bytes. */
  readonly run:
    | Read<Input, Output>
    | Change<Input, Output>
    | Watch<Input, Output>
    | FileRead<Input>
    | Bulk<Input, Output>
}

/** The HTTP method of an operation. */
type OperationMethod = "GET" | "POST" | "PATCH" | "DELETE"

/**
 * How customers run an operation in the portal: which parameters must name things of their own. A thing of another account is a
 * 404; an account that is left out is their own.
 */
export interface PortalAccess {
  /** The parameter with the id of an account; `key` and `notice` likewise. */
  readonly account?: string
  readonly key?: string
  readonly notice?: string
  /** The only parameters that customers may give; all by default. */
  readonly parameters?: readonly string[]
  /** The action that the plan must allow. */
  readonly action?: PortalAction
}

/**
 * How an operation is called on the command line. Its parameters are options of the same names (`allow_apis` of a list is the
 * repeatable `--allow-api`; `x-flag` of a schema names another).
 */
export interface OperationCommand {
  /** Such as `account grant`. */
  readonly words: string
  /**
   * Two operations may have the same words, such as `account set-webhook ID URL` and `account set-webhook ID --off`. This is the
   * switch that chooses the second one.
   */
  readonly switch?: string
  /** Parameters that are arguments instead of options, in this order. Optional ones may be left out. */
  readonly args?: readonly string[]
  /** The only parameters that are options; all others by default. */
  readonly options?: readonly string[]
  /** Parameters that this command requires, although the operation does not. */
  readonly requires?: readonly string[]
  /**
   * A secret parameter. It is read from standard input, so that no list of processes shows it. A command with arguments reads it
   * only when none is given.
   */
  readonly stdin?: string
  /**
   * A list parameter, and the schema of its entries, which the command reads from a CSV file: its only argument. It sends them in
   * parts, after a dry run of all; the operation has the parameter `dry_run`, and tells how many it made by `plans`.
   */
  readonly csvList?: { readonly parameter: string; readonly entry: TObject }
  /** Whether it makes a data file that is missing. */
  readonly makesStore?: boolean
  /** The help's text, if it is not the operation's description. */
  readonly description?: string
  /** The arguments shown in the help's example. */
  readonly example: string
  /** The field of the answer that is printed alone, without its name; `--json` prints all. */
  readonly printsOnly?: string
  /** Whether it needs the address of the pages, from the settings of the service. */
  readonly usesPages?: boolean
  /** Printed instead of a table without rows. */
  readonly empty?: string
  /** The columns of a list that fit a terminal; `--wide` and `--json` show all. */
  readonly columns?: readonly string[]
  /** Columns in addition to these, for a file, a pipe and a terminal that has room for them. */
  readonly moreColumns?: readonly string[]
  /** Whether a table that does not fit shortens ids before it leaves out columns. Not where the id is what one needs from it. */
  readonly shortensIds?: boolean
}

/** Reads and changes nothing. */
interface Read<Input extends TObject, Output extends TSchema> {
  readonly kind: "read"
  read(input: Static<Input>, context: AdminContext): Promise<Static<Output>>
}

/** Reports events from now on, until its reader or the service ends it. It changes nothing. */
interface Watch<Input extends TObject, Output extends TSchema> {
  readonly kind: "watch"
  /**
   * Begins to watch.
   * @param onReady is called when there are events to take
   * @throws AdminFault when there are too many watchers
   */
  watch(input: Static<Input>, context: AdminContext, onReady: () => void): Subscription<Static<Output>>
}

/** Sends a file. It changes nothing, but each time leaves an audit record. */
interface FileRead<Input extends TObject> {
  readonly kind: "file"
  /** Opens the file and says what the audit log calls it. */
  open(input: Static<Input>, context: AdminContext): Promise<OpenFile>
}

/** A file to send. Close it when done. */
export interface OpenFile extends FileContent {
  /** A name without a path. */
  readonly name: string
  readonly bytes: number
  readonly target: PreparedChange<unknown>["target"]
}

/** Changes something. */
export interface Change<Input extends TObject, Output extends TSchema> {
  readonly kind: "change"
  /**
   * Checks the input and says what to change. It is called again when a row was changed meanwhile, so it must change nothing
   * itself.
   */
  prepare(input: Static<Input>, context: AdminContext): Promise<PreparedChange<Static<Output>>>
  /** Makes the answer of a replay again, from the target's id, if a crash lost it. Secrets in it are null. */
  recall(targetId: string, context: AdminContext): Promise<Static<Output>>
}

/** Runs another operation for each of many things. */
interface Bulk<Input extends TObject, Output extends TSchema> {
  readonly kind: "bulk"
  /** @param runOne runs an operation as if it was sent alone. Returns its refusal; null if it was done */
  runAll(
    input: Static<Input>,
    context: AdminContext,
    runOne: (operation: Operation, values: { readonly id: string }) => Promise<AdminFault | null>,
  ): Promise<Static<Output>>
}

/** The mutations of a change, the contents of its audit record, and the function that makes its answer. */
export interface PreparedChange<Output> extends ChangedThing {
  readonly mutations: readonly Mutation[]
  /**
   * The single things of a change of many. Each has an audit record of its own, so that it is found by its account. `prepare`
   * names values that another one has already: it is called again if the store finds one.
   */
  readonly parts?: readonly ChangedThing[]
  /** True for a trial, and for a change that was made already: nothing is changed or recorded. */
  readonly isTrial?: boolean
  /**
   * True when `answer` changes something outside the store, such as a file. If it fails, a second audit record says so, and the
   * Idempotency-Key can be used again.
   */
  readonly isOutside?: boolean
  /** Makes the answer, after the change is committed; by default as {@link Change.recall} does. */
  answer?(): Output | Promise<Output>
}

/** The part of an audit record that is about one thing. */
export interface ChangedThing {
  readonly target: { readonly kind: string; readonly id: string; readonly accountId: string | null }
  /** The changed fields; null by default. Fields named `key` or `secret` must not be in it. */
  readonly before?: Readonly<Record<string, unknown>> | null
  readonly after?: Readonly<Record<string, unknown>> | null
}

/** Everything that an operation works with besides its input. */
export interface AdminContext extends AdminParts {
  readonly actor: Actor
  /** The version of the target that the client wants to change (If-Match); null for any. */
  readonly ifVersion: number | null
}

/** The person or program that runs an operation. */
export interface Actor {
  /** `admin-key:ID`, `person:ID`, `console:ID`, `portal:ID`, `cli:NAME` or `service`. */
  readonly id: string
  /** A name to show with the id. */
  readonly name: string
  readonly permissions: readonly string[]
  /** The only account that a customer reaches; null for operators, who reach all. */
  readonly account: string | null
  /** The id of the admin key that gives the permissions. Absent without one. */
  readonly adminKeyId?: string | null
  /** The session of a browser. Absent without one. */
  readonly session?: ActorSession
  /** Client address, or host name for the command line. */
  readonly source: string
  readonly requestId: string
}

/** The session that an actor is signed in with. */
interface ActorSession {
  /** `ses_…` */
  readonly id: string
  /** The owner of all sessions that "sign out everywhere" ends. */
  readonly owner: string
  /** The hash of the API key's text that the session depends on; null without one. */
  readonly keyHash: string | null
}

/** A head as definitions write it: without an example, its values are the arguments in the command's example, if it has any. */
type GivenHead<Input extends TObject, Output extends TSchema, Id extends string> = Omit<
  OperationHead<Input, Output, Id>,
  "example"
> &
  Partial<Pick<OperationHead<Input, Output, Id>, "example">>

/** Defines an operation that is neither a plain read nor a change: a watch, a bulk, or a read whose input no URL may hold. */
export function defineOperation<
  Input extends TObject,
  Output extends TSchema,
  Id extends string,
  Method extends OperationMethod,
>(
  operation: GivenHead<Input, Output, Id> & Pick<Operation<Input, Output, Id, Method>, "method" | "run">,
): Operation<Input, Output, Id, Method> {
  const { args = [], example } = operation.command
  const words = example.split(" ")
  return {
    ...operation,
    example: operation.example ?? Object.fromEntries(args.map((name, at) => [name, words[at]])),
  }
}

/** Defines an operation that reads, by GET, and changes nothing. */
export function defineRead<Input extends TObject, Output extends TSchema, Id extends string>({
  read,
  ...head
}: GivenHead<Input, Output, Id> & Omit<Read<Input, Output>, "kind">) {
  return defineOperation({ ...head, method: "GET", run: { kind: "read", read } })
}

/** Defines an operation that sends a file, by GET. */
export function defineFile<Input extends TObject, Id extends string>({
  open,
  ...head
}: Omit<GivenHead<Input, TString, Id>, "output"> & Omit<FileRead<Input>, "kind">) {
  const output = Type.String({ description: "The bytes of the file." })
  return defineOperation({ ...head, output, method: "GET", run: { kind: "file", open } })
}

/**
 * Defines an operation that changes something, by POST unless its method is given.
 * @example
 * export const enableKey = defineChange({
 *   id: "keys.enable",
 *   title: "Enable a key",
 *   description: "Lets a disabled key work again.",
 *   permission: "keys.write",
 *   path: "/keys/{id}/enable",
 *   command: { words: "key enable", args: ["id"], example: "key_1234567890abcdef" },
 *   input: Type.Object({ id: keyId }),
 *   output: keySchema,
 *   prepare: prepareEnable,
 *   recall: readKey,
 * })
 */
export function defineChange<
  Input extends TObject,
  Output extends TSchema,
  Id extends string,
  Method extends OperationMethod = "POST",
>({
  prepare,
  recall,
  method = "POST" as Method,
  ...head
}: GivenHead<Input, Output, Id> & { readonly method?: Method } & Omit<Change<Input, Output>, "kind">) {
  return defineOperation({ ...head, method, run: { kind: "change", prepare, recall } })
}

const operatorMark = "x-operator-only"

/** An output field that customers do not see. */
export interface OperatorOnly {
  readonly [operatorMark]: true
}

/** Marks an output field that customers do not see. */
export function operatorOnly<T extends TSchema>(schema: T): T & OperatorOnly {
  return { ...schema, [operatorMark]: true }
}

/** Whether a schema is marked with {@link operatorOnly}. */
export function isOperatorOnly(schema: TSchema): boolean {
  return schema[operatorMark] === true
}

const customerMark = "x-customer-text"

/** Marks a nullable text of which customers see only whether there is one: they get this text instead. */
export function oneTextForCustomers<T extends TSchema>(schema: T, text: string): T {
  return { ...schema, [customerMark]: text }
}

/** The text of {@link oneTextForCustomers}; undefined for other schemas. */
export function textForCustomers(schema: TSchema): string | undefined {
  return schema[customerMark]
}

const secretMark = "x-secret"

/** Marks an output field that is shown once: null in replays, absent from the audit log. The schema must allow null. */
export function secret<T extends TSchema>(schema: T): T {
  return { ...schema, [secretMark]: true }
}

/** Whether a schema is marked with {@link secret}. */
export function isSecret(schema: TSchema): boolean {
  return schema[secretMark] === true
}
