/** Numbers of four countries. */
export const examples = [
  {
    name: "A German number",
    input: {
      number: "DE 136 695 976",
    },
    output: {
      number: "DE136695976",
      is_valid: true,
      problems: [],
      country: "DE",
      kind: "company" as const,
      other_ids: [],
    },
  },
  {
    name: "A Greek number with its ISO code",
    input: {
      number: "094259216",
      country: "GR",
    },
    output: {
      number: "EL094259216",
      is_valid: true,
      problems: [],
      country: "EL",
      kind: "company" as const,
      other_ids: [],
    },
  },
  {
    name: "A wrong check digit",
    input: {
      number: "FR 61 954 506 078",
    },
    output: {
      number: "FR61954506078",
      is_valid: false,
      problems: [
        {
          code: "check_digits" as const,
          severity: "error" as const,
          message:
            "The check digits do not fit the rest of the number. The form is FR and 2 letters or digits and 9 digits.",
          where: "number",
        },
      ],
      country: "FR",
      kind: null,
      other_ids: [],
    },
  },
  {
    name: "A Belgian number that is also valid as other numbers",
    input: {
      number: "BE0897223571",
    },
    output: {
      number: "BE0897223571",
      is_valid: true,
      problems: [],
      country: "BE",
      kind: "company" as const,
      other_ids: [],
    },
  },
]
