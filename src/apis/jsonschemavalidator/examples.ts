const wrongAge = {
  code: "minimum",
  severity: "error" as const,
  message: "The value must be at least 0.",
  where: "/age",
  schema_location: "#/properties/age/minimum",
}
const missingName = {
  code: "required",
  severity: "error" as const,
  message: 'The value must have "name".',
  where: "",
  schema_location: "#/required",
}

const size = { severity: "error" as const, where: "/size" }
const sizes = [
  {
    code: "uniqueItems",
    severity: "error" as const,
    message: "The value must not have an item twice.",
    where: "/tags",
    schema_location: "#/properties/tags/uniqueItems",
  },
  {
    ...size,
    code: "anyOf",
    message: "The value must fit a schema of 'anyOf'.",
    schema_location: "#/properties/size/anyOf",
  },
  {
    ...size,
    code: "type",
    message: "The value must be of type integer.",
    schema_location: "#/properties/size/anyOf/0/type",
  },
  {
    ...size,
    code: "enum",
    message: 'The value must be one of "small", "large".',
    schema_location: "#/properties/size/anyOf/1/enum",
  },
]

/** A valid document, and two that are not. */
export const examples = [
  {
    name: "A document with two mistakes",
    input: {
      schema: {
        type: "object",
        properties: { name: { type: "string" }, age: { type: "integer", minimum: 0 } },
        required: ["name"],
      },
      document: { age: -1 },
    },
    output: {
      is_valid: false,
      dialect: "2020-12" as const,
      problems: [wrongAge, missingName],
      all_problems: [wrongAge, missingName],
      annotations: [],
    },
  },
  {
    name: "A valid document with annotations",
    input: {
      schema: {
        $schema: "http://json-schema.org/draft-07/schema#",
        title: "A colour",
        type: "string",
        pattern: "^#[0-9a-f]{6}$",
      },
      document: "#1e90ff",
    },
    output: {
      is_valid: true,
      dialect: "draft-07" as const,
      problems: [],
      all_problems: [],
      annotations: [{ keyword: "title", value: "A colour", where: "", schema_location: "#/title" }],
    },
  },
  {
    name: "A repeated item, and a value that fits neither of two schemas",
    input: {
      schema: {
        properties: {
          tags: { type: "array", uniqueItems: true },
          size: { anyOf: [{ type: "integer" }, { enum: ["small", "large"] }] },
        },
      },
      document: { tags: ["a", "b", "a"], size: "medium" },
    },
    output: {
      is_valid: false,
      dialect: "2020-12" as const,
      problems: sizes,
      all_problems: sizes,
      annotations: [],
    },
  },
]
