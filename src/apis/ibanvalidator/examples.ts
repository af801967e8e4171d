/** Examples of the IBAN registry, and one with two mistakes. */
export const examplesOf = (data_date: string | null) => [
  {
    name: "The registry's example of Germany",
    input: { iban: "de89 3704 0044 0532 0130 00" },
    output: {
      iban: "DE89370400440532013000",
      is_valid: true,
      problems: [],
      country: "DE",
      country_name: "Germany",
      is_in_registry: true,
      account: "0532013000",
      formatted: "DE89 3704 0044 0532 0130 00",
      data_date,
      parts: { bban: "370400440532013000", structure: "8!n10!n", bank: "37040044", branch: null },
      expected_check_digits: "89",
    },
  },
  {
    name: "Two swapped digits",
    input: { iban: "GB29 NWBK 6016 1331 9262 89" },
    output: {
      iban: "GB29NWBK60161331926289",
      is_valid: false,
      problems: [
        {
          code: "check_digits" as const,
          severity: "error" as const,
          message: "The check digits do not fit the other characters.",
          where: "characters 3 to 4",
        },
      ],
      country: "GB",
      country_name: "United Kingdom",
      is_in_registry: true,
      account: "31926289",
      formatted: "GB29 NWBK 6016 1331 9262 89",
      data_date,
      parts: { bban: "NWBK60161331926289", structure: "4!a6!n8!n", bank: "NWBK", branch: "601613" },
      expected_check_digits: "80",
    },
  },
  {
    name: "One digit missing, and a letter among digits",
    input: { iban: "NO93 8601 111O 94" },
    output: {
      iban: "NO938601111O94",
      is_valid: false,
      problems: [
        {
          code: "length" as const,
          severity: "error" as const,
          message: "IBANs of Norway have 15 characters, not 14.",
          where: "iban",
        },
        {
          code: "structure" as const,
          severity: "error" as const,
          message:
            "Character 12 must be a digit in Norway, not the letter O. The digit 0 was probably meant.",
          where: "character 12",
        },
      ],
      country: "NO",
      country_name: "Norway",
      is_in_registry: true,
      account: null,
      formatted: "NO93 8601 111O 94",
      data_date,
      parts: null,
      expected_check_digits: null,
    },
  },
]
