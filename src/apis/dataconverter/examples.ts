/** Each format is read and written once, and what is lost is said. */
export const examples = [
  {
    name: "YAML with a comment and an alias to JSON",
    input: {
      text: "# Servers\nweb: &web {port: 8080, tags: [a, b]}\napi: *web\n",
      from: "yaml" as const,
      to: "json" as const,
    },
    output: {
      text: '{\n  "web": {\n    "port": 8080,\n    "tags": [\n      "a",\n      "b"\n    ]\n  },\n  "api": {\n    "port": 8080,\n    "tags": [\n      "a",\n      "b"\n    ]\n  }\n}\n',
      problems: [
        {
          code: "comments" as const,
          severity: "warning" as const,
          message: "Comments are left out.",
          where: "line 1, column 1",
        },
        {
          code: "anchors" as const,
          severity: "info" as const,
          message: "A YAML alias is replaced by a copy of the value that it refers to.",
          where: "line 3, column 6",
        },
      ],
    },
  },
  {
    name: "JSON with a large number to YAML",
    input: {
      text: '{"id": 9007199254740993, "price": 1.50, "answer": "yes"}',
      from: "json" as const,
      to: "yaml" as const,
    },
    output: { text: 'id: 9007199254740993\nprice: 1.50\nanswer: "yes"\n', problems: [] },
  },
  {
    name: "XML with attributes to JSON",
    input: {
      text: '<order id="7"><item qty="2">Tea</item><item>Milk</item></order>',
      from: "xml" as const,
      to: "json" as const,
    },
    output: {
      text: '{\n  "order": {\n    "@id": "7",\n    "item": [\n      {\n        "@qty": "2",\n        "#text": "Tea"\n      },\n      "Milk"\n    ]\n  }\n}\n',
      problems: [],
    },
  },
  {
    name: "JSON to CSV, which has no types",
    input: {
      text: '[{"name": "Ada", "born": 1815}, {"name": "Alan, M."}]',
      from: "json" as const,
      to: "csv" as const,
    },
    output: {
      text: 'name,born\r\nAda,1815\r\n"Alan, M.",\r\n',
      problems: [
        {
          code: "types" as const,
          severity: "warning" as const,
          message: "A number, true, false or null becomes text.",
          where: "/0/born",
        },
        {
          code: "missing_cells" as const,
          severity: "warning" as const,
          message: "An object lacks a key that others have; its cell is empty.",
          where: "/1/born",
        },
      ],
    },
  },
  {
    name: "CSV to TOML, whose root must be a table",
    input: { text: "name,born\nAda,1815\n", from: "csv" as const, to: "toml" as const },
    output: {
      text: '[[root]]\nname = "Ada"\nborn = "1815"\n',
      problems: [
        {
          code: "root" as const,
          severity: "info" as const,
          message:
            "The data is put under the name root, since the format needs one object around everything.",
          where: "root",
        },
      ],
    },
  },
  {
    name: "TOML with a date to XML",
    input: { text: "[book]\nyear = 1843\nday = 1843-10-01\n", from: "toml" as const, to: "xml" as const },
    output: {
      text: '<?xml version="1.0" encoding="UTF-8"?>\n<book>\n  <year>1843</year>\n  <day>1843-10-01</day>\n</book>\n',
      problems: [
        {
          code: "types" as const,
          severity: "warning" as const,
          message: "A number, true, false or null becomes text.",
          where: "/book/year",
        },
        {
          code: "dates" as const,
          severity: "warning" as const,
          message: "A date or time of TOML becomes text.",
          where: "/book/day",
        },
      ],
    },
  },
]
