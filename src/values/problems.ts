import { type Static, Type } from "@sinclair/typebox"

/** `error`: the input is not valid. `warning`: it is valid, but something is probably wrong. `info`: worth knowing. */
export type Severity = "error" | "warning" | "info"

/** Something about an input that could be read. All APIs that check an input report it in this form. */
export interface Problem<Code extends string = string> {
  readonly code: Code
  readonly severity: Severity
  readonly message: string
  readonly where: string
}

/**
 * Defines the problems that an API reports: for each code its severity and, after a colon, a short meaning for the documentation.
 * Returns the schema of the field `problems`, a function that makes one problem, and one that begins a list, or
 * takes one, and adds to it.
 * @example
 * const { problemList, problem } = defineProblems({ length: "error: too long or too short" })
 * const output = Type.Object({ problems: problemList })
 * const found = [problem("length", "iban", "German IBANs have 22 characters, not 21.")]
 * const [problems, add] = newProblems()
 * add("length", "iban", "German IBANs have 22 characters, not 21.")
 */
export function defineProblems<Code extends string>(kinds: Readonly<Record<Code, `${Severity}: ${string}`>>) {
  const codes = Object.keys(kinds) as Code[]
  const meanings = codes.map((code) => `\`${code}\` (${kinds[code].replace(": ", "): ")}`).join("; ")
  const problemList = Type.Array(
    Type.Object({
      code: Type.Unsafe<Code>(
        Type.Union(
          codes.map((code) => Type.Literal(code)),
          { description: `${meanings}.` },
        ),
      ),
      severity: severitySchema,
      message: Type.String({ description: "The problem in one sentence." }),
      where: Type.String({ description: "The part of the input that has the problem." }),
    }),
    { description: "What was found, in the order of the input; empty if nothing was." },
  )
  type Found = Static<typeof problemList>[number]
  const problem = (code: Code, where: string, message: string): Found => ({
    code,
    severity: severityOf(kinds[code]),
    message,
    where,
  })
  const newProblems = (problems: Found[] = []) => {
    const add = (...found: Parameters<typeof problem>) => {
      problems.push(problem(...found))
    }
    return [problems, add] as const
  }
  return { problemList, problem, newProblems }
}

/** The word before the colon. The type of the table allows no other. */
function severityOf(kind: `${Severity}: ${string}`): Severity {
  return kind.slice(0, kind.indexOf(":")) as Severity
}

const severitySchema = Type.Union([Type.Literal("error"), Type.Literal("warning"), Type.Literal("info")], {
  description: "`error`: the input is not valid. `warning`: probably a mistake. `info`: worth knowing.",
})

/** Whether none of the problems is an error. */
export function isValid(problems: readonly { readonly severity: Severity }[]): boolean {
  return problems.every(({ severity }) => severity !== "error")
}

/** The problems, and whether none of them is an error. */
export function verdictOf<Found extends { readonly severity: Severity }>(problems: Found[]) {
  return { is_valid: isValid(problems), problems }
}
