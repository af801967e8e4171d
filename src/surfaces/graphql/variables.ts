import {
  coerceInputValue,
  type GraphQLSchema,
  getLocation,
  isInputType,
  isNonNullType,
  type OperationDefinitionNode,
  type SourceLocation,
  typeFromAST,
  type VariableDefinitionNode,
  valueFromAST,
} from "graphql"
import { Refusal } from "./refusal.ts"

export type Variables = Readonly<Record<string, unknown>>

/** What is wrong with variables is told up to so many times. */
const maxProblems = 20

/**
 * Variables as the operation declares them (GraphQL §6.1.2). graphql-js has this too, but quotes a variable's whole value
 * in each error: secrets among them, and seconds of work where the value is large.
 * @throws Refusal BAD_REQUEST where they do not fit
 */
export function readVariables(
  schema: GraphQLSchema,
  { variableDefinitions = [] }: OperationDefinitionNode,
  given: Variables,
): Variables {
  const values: Record<string, unknown> = {}
  const problems: Problem[] = []
  for (const definition of variableDefinitions) {
    try {
      readVariable(schema, definition, given, values, (message) => {
        problems.push({ message, locations: locationsOf(definition) })
        if (problems.length === maxProblems) throw enough
      })
    } catch (thrown) {
      if (thrown !== enough) throw thrown
      break
    }
  }
  if (problems.length > 0) throw new Refusal("BAD_REQUEST", problems)
  return values
}

interface Problem {
  readonly message: string
  readonly locations: readonly SourceLocation[]
}

/** Thrown to end the look at a value that has more wrong with it than will be told. */
const enough = new Error("enough problems")

function readVariable(
  schema: GraphQLSchema,
  { variable, type: typeNode, defaultValue }: VariableDefinitionNode,
  given: Variables,
  values: Record<string, unknown>,
  refuse: (message: string) => void,
): void {
  const name = variable.name.value
  const type = typeFromAST(schema, typeNode)
  if (!isInputType(type)) throw new Error(`$${name} is of no input type, which validation has let pass`)
  const value = Object.hasOwn(given, name) ? given[name] : undefined
  if (value === undefined && defaultValue) {
    values[name] = valueFromAST(defaultValue, type)
  } else if (value === undefined || value === null) {
    if (isNonNullType(type)) refuse(`The variable '$${name}' is required and must be of type '${type}'.`)
    else if (value === null) values[name] = null
  } else {
    values[name] = coerceInputValue(value, type, (path, _value, { message }) =>
      refuse(`The variable '${toText(name, path)}' does not fit: ${message}`),
    )
  }
}

/** `$input.lines[3]`. */
function toText(name: string, path: readonly (string | number)[]): string {
  return `$${name}${path.map((key) => (typeof key === "number" ? `[${key}]` : `.${key}`)).join("")}`
}

function locationsOf({ loc }: VariableDefinitionNode): readonly SourceLocation[] {
  return loc ? [getLocation(loc.source, loc.start)] : []
}
