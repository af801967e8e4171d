import { type TSchema, Type } from "@sinclair/typebox"
import { auditStatuses, grades } from "../../values/audit-report.ts"
import { choice, nullable, nullableText, premium } from "../contract.ts"
import { field } from "../shared.ts"

/**
 * Marks the list of an audit's checks in an output. Pages then show the answer as a report: `grade` and `score`, the checks with
 * their status, reason and advice, and the fixes.
 * @example
 * const output = Type.Object({ checks: reportChecks(Type.Array(check, { description: "Every check." })) })
 */
function reportChecks<T extends TSchema>(schema: T): T {
  return { ...schema, "x-report": true }
}

/** More selectors than a domain has at a time. */
const maxSelectors = 5

export const input = Type.Object({
  domain: field.text("The domain of the addresses, such as example.com.", { minLength: 1 }),
  selectors: Type.Optional(
    Type.Array(Type.String({ minLength: 1, maxLength: 63 }), {
      maxItems: maxSelectors,
      description:
        "Selectors with which the domain signs its mail (`s=` in its DKIM signatures). 20 usual ones are tried in any case.",
    }),
  ),
  trust_anchor: field.optional.text(
    "For a DNS with its own root: the data of a DS record of the root's key, such as `20326 8 2 E06D…`. Default: the keys of the root of the Internet, or those that the service was given.",
    { minLength: 1, maxLength: 300 },
  ),
})

export const output = Type.Object({
  domain: field.text("The domain in lower case and in ASCII (A-labels)."),
  grade: choice(grades, { description: "From A, well protected, to F." }),
  score: field.integer("The points in percent of those that the domain could have.", {
    minimum: 0,
    maximum: 100,
  }),
  limited_by: field.texts("The ids of checks without which the score would give a better grade."),
  checks: reportChecks(
    field.rows("Every check, in a fixed order.", {
      id: field.text("The check, as a fixed code."),
      title: field.text("What is checked."),
      status: choice(auditStatuses, {
        description:
          "`pass`: as it should be. `warning`: good in part. `fail`: missing or wrong. `unknown`: the DNS or the web server gave no answer, or would have been asked too much. `not_applicable`: of no use for this domain.",
      }),
      points: field.number("The points that it gets."),
      max_points: field.integer("The most points; 0 if it does not apply."),
      why: field.text("What was found, in one sentence."),
      advice: nullableText("What to do; null if there is nothing to do."),
      source: field.text("The standard."),
    }),
  ),
  fixes: premium(
    field.rows(
      "What to change, as ready lines of the zone file where possible: first what says that a domain has no mail, then what brings most.",
      {
        check: field.text("The id of the check that it is for, of several the one that loses most."),
        checks: field.texts("The ids of all checks that it is for."),
        points: field.integer(
          "By how much it raises the score after the fixes before it. Those with a line add up: published together, they raise the score by their sum.",
        ),
        line: nullableText(
          "A line for the zone file; null if only you can know it. No two are for the same record.",
        ),
        action: nullable(choice(["add", "replace"], { description: "What to do." }), {
          description:
            "`add`: the line is new. `replace`: it takes the place of the records of its kind at its name. Null without a line.",
        }),
        file: field.nullableGroup("A file to publish; null if none is needed.", {
          url: field.text("Where to publish it."),
          text: field.text("Its text."),
        }),
        note: field.text("What to know before."),
      },
    ),
  ),
})
