import {
  coerceInputValue,
  type GraphQLSchema,
  getLocation,
  isInputType,
  isNonNullType,
  type OperationDefinitionNode,
  typeFromAST,
  type VariableDefinitionNode,
  valueFromAST,
} from "graphql"
import { type Problem, Refusal } from "./refusal.ts"

/** Variables of a query, by name. */
export type Variables = Readonly<Record<string, unknown>>

/** The most problems that an answer lists. */
const maxProblems = 20

/** The most items in the lists of a variable. Reading half a million takes 0.1 s, in which nothing else runs. */
const maxItems = 100_000

/**
 * Reads variables as the operation declares them (GraphQL §6.1.2). graphql-js quotes the whole value of a variable in each
 * error, which may be a secret, and takes seconds for a large value.
 * @throws Refusal BAD_REQUEST when they do not fit
 */
export function readVariables(
  schema: GraphQLSchema,
  { variableDefinitions = [] }: OperationDefinitionNode,
  given: Variables,
): Variables {
  const values: Record<string, unknown> = {}
  const problems: Problem[] = []
  try {
    for (const definition of variableDefinitions) {
      const { loc } = definition
      readVariable(schema, definition, given, values, (message) => {
        problems.push({ message, locations: loc && [getLocation(loc.source, loc.start)] })
        if (problems.length === maxProblems) throw enough
      })
    }
  } catch (thrown) {
    if (thrown !== enough) throw thrown
  }
  if (problems.length > 0) throw new Refusal("BAD_REQUEST", problems)
  return values
}

/** Thrown to stop reading a value with too many problems. */
const enough = new Error("enough problems")

function readVariable(
  schema: GraphQLSchema,
  { variable, type: typeNode, defaultValue }: VariableDefinitionNode,
  given: Variables,
  values: Record<string, unknown>,
  addProblem: (message: string) => void,
): void {
  const name = variable.name.value
  const type = typeFromAST(schema, typeNode)
  if (!isInputType(type)) throw new Error(`$${name} is of no input type, which validation has let pass`)
  const value = Object.hasOwn(given, name) ? given[name] : undefined
  if (value === undefined && defaultValue) {
    values[name] = valueFromAST(defaultValue, type)
  } else if (value === undefined || value === null) {
    if (isNonNullType(type)) addProblem(`The variable '$${name}' is required and must be of type '${type}'.`)
    else if (value === null) values[name] = null
  } else if (countItems(value) > maxItems) {
    addProblem(
      `The variable '$${name}' must have at most ${maxItems.toLocaleString("en-US")} items in its lists.`,
    )
  } else {
    values[name] = coerceInputValue(value, type, (path, _value, { message }) =>
      addProblem(`The variable '$${name}${path.map(toStep).join("")}' does not fit: ${message}`),
    )
  }
}

/** The items of all lists in a value; the JSON reader limits how deep they are. */
function countItems(value: unknown): number {
  if (typeof value !== "object" || value === null) return 0
  let count = Array.isArray(value) ? value.length : 0
  if (count > maxItems) return count
  for (const member of Object.values(value)) count += countItems(member)
  return count
}

/** A step of a path such as `$input.lines[3]`. */
function toStep(key: string | number): string {
  return typeof key === "number" ? `[${key}]` : `.${key}`
}
