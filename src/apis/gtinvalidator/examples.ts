/** Numbers of a book, a periodical and products. */
export const examples = [
  {
    name: "A book",
    input: {
      code: "978-3-16-148410-0",
    },
    output: {
      code: "9783161484100",
      is_valid: true,
      problems: [],
      kind: "isbn13" as const,
      expected_check_digit: "0",
      formatted: "978-3-16-148410-0",
      converted: {
        gtin14: "09783161484100",
        gtin13: "9783161484100",
        gtin12: null,
        isbn10: "316148410X",
        isbn13: "9783161484100",
        issn: null,
      },
      registration: {
        group: "3",
        group_name: "German language",
        registrant: "16",
        publication: "148410",
      },
    },
  },
  {
    name: "A periodical",
    input: {
      code: "0378-5955",
    },
    output: {
      code: "03785955",
      is_valid: true,
      problems: [],
      kind: "issn" as const,
      expected_check_digit: "5",
      formatted: "0378-5955",
      converted: {
        gtin14: "09770378595002",
        gtin13: "9770378595002",
        gtin12: null,
        isbn10: null,
        isbn13: null,
        issn: "0378-5955",
      },
      registration: null,
    },
  },
  {
    name: "A product with a wrong check digit",
    input: {
      code: "4006381333932",
    },
    output: {
      code: "4006381333932",
      is_valid: false,
      problems: [
        {
          code: "check_digit" as const,
          severity: "error" as const,
          message: "The check digit must be 1.",
          where: "last character",
        },
      ],
      kind: "gtin13" as const,
      expected_check_digit: "1",
      formatted: null,
      converted: {
        gtin14: null,
        gtin13: null,
        gtin12: null,
        isbn10: null,
        isbn13: null,
        issn: null,
      },
      registration: null,
    },
  },
  {
    name: "UPC-A",
    input: {
      code: "036000291452",
    },
    output: {
      code: "036000291452",
      is_valid: true,
      problems: [],
      kind: "gtin12" as const,
      expected_check_digit: "2",
      formatted: "036000291452",
      converted: {
        gtin14: "00036000291452",
        gtin13: "0036000291452",
        gtin12: "036000291452",
        isbn10: null,
        isbn13: null,
        issn: null,
      },
      registration: null,
    },
  },
]
