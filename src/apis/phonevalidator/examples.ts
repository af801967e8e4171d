/** Numbers of two countries. */
export const examples = [
  {
    name: "A London number reserved for fiction",
    input: {
      number: "+44 20 7946 0958",
    },
    output: {
      is_valid: true,
      problems: [],
      country: "GB",
      calling_code: "44",
      kind: "fixed_line" as const,
      e164: "+442079460958",
      national: "020 7946 0958",
      international: "+44 20 7946 0958",
      extension: null,
      formats: {
        rfc3966: "tel:+442079460958",
        significant: "2079460958",
        from_country: null,
      },
    },
  },
  {
    name: "A mobile number, as dialled in Germany",
    input: {
      number: "0151 23456789",
      country: "DE",
    },
    output: {
      is_valid: true,
      problems: [],
      country: "DE",
      calling_code: "49",
      kind: "mobile" as const,
      e164: "+4915123456789",
      national: "01512 3456789",
      international: "+49 1512 3456789",
      extension: null,
      formats: {
        rfc3966: "tel:+4915123456789",
        significant: "15123456789",
        from_country: "01512 3456789",
      },
    },
  },
  {
    name: "One digit missing",
    input: {
      number: "+49 151 2345",
    },
    output: {
      is_valid: false,
      problems: [
        {
          code: "not_assigned" as const,
          severity: "error" as const,
          message: "Its country assigns no numbers of this length with this beginning.",
          where: "number",
        },
      ],
      country: "DE",
      calling_code: "49",
      kind: null,
      e164: "+491512345",
      national: "1512345",
      international: "+49 1512345",
      extension: null,
      formats: {
        rfc3966: "tel:+491512345",
        significant: "1512345",
        from_country: null,
      },
    },
  },
]
