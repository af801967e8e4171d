const store = {
  book: [
    { category: "reference", title: "Sayings of the Century", price: 8.95 },
    { category: "fiction", title: "Sword of Honour", price: 12.99 },
    { category: "fiction", title: "Moby Dick", price: 8.99 },
  ],
  bicycle: { color: "red", price: 399 },
}

/** The document is a part of that in RFC 9535 section 1.5. */
export const examples = [
  {
    name: "Titles of cheap books",
    input: { document: { store }, path: "$.store.book[?@.price < 10].title" },
    output: {
      values: ["Sayings of the Century", "Moby Dick"],
      paths: ["$['store']['book'][0]['title']", "$['store']['book'][2]['title']"],
      problems: [],
    },
  },
  {
    name: "Every price",
    input: { document: { store }, path: "$..price" },
    output: {
      values: [8.95, 12.99, 8.99, 399],
      paths: [
        "$['store']['book'][0]['price']",
        "$['store']['book'][1]['price']",
        "$['store']['book'][2]['price']",
        "$['store']['bicycle']['price']",
      ],
      problems: [],
    },
  },
  {
    name: "A regular expression",
    input: { document: ["2026-11-23", "tomorrow"], path: "$[?match(@, '[0-9]{4}-[0-9]{2}-[0-9]{2}')]" },
    output: { values: ["2026-11-23"], paths: ["$[0]"], problems: [] },
  },
  {
    name: "A pattern that is not an I-Regexp",
    input: { document: ["a1"], path: "$[?search(@, '\\\\d')]" },
    output: {
      values: [],
      paths: [],
      problems: [
        {
          code: "regular_expression" as const,
          severity: "warning" as const,
          message: "The pattern '\\d' is not an I-Regexp (RFC 9485).",
          where: "path",
        },
      ],
    },
  },
]
