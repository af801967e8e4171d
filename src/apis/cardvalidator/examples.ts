/** Test numbers that the schemes publish. */
export const examples = [
  {
    name: "A test number of Visa",
    input: {
      number: "4111 1111 1111 1111",
    },
    output: {
      is_valid: true,
      problems: [],
      scheme: "visa",
      scheme_name: "Visa",
      possible_schemes: ["visa"],
      length: 16,
      masked: "•••• •••• •••• 1111",
      security_code: {
        name: "CVV",
        length: 3,
      },
    },
  },
  {
    name: "A test number of American Express",
    input: {
      number: "378282246310005",
    },
    output: {
      is_valid: true,
      problems: [],
      scheme: "american-express",
      scheme_name: "American Express",
      possible_schemes: ["american-express"],
      length: 15,
      masked: "•••• •••••• •0005",
      security_code: {
        name: "CID",
        length: 4,
      },
    },
  },
  {
    name: "A wrong digit",
    input: {
      number: "5555-5555-5555-4445",
    },
    output: {
      is_valid: false,
      problems: [
        {
          code: "check_digit" as const,
          severity: "error" as const,
          message: "The check digit does not fit the other digits.",
          where: "last digit",
        },
      ],
      scheme: "mastercard",
      scheme_name: "Mastercard",
      possible_schemes: ["mastercard"],
      length: 16,
      masked: "•••• •••• •••• 4445",
      security_code: {
        name: "CVC",
        length: 3,
      },
    },
  },
]
