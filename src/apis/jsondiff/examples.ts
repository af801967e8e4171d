/** A comparison, a patch of each kind, and a patch that cannot be applied. */
export const examples = [
  {
    name: "Compare two documents",
    input: {
      from: {
        title: "Hello!",
        tags: ["example", "sample"],
        author: { name: "Ann", mail: "ann@example.com" },
      },
      to: { title: "Hello!", tags: ["new", "example", "sample"], author: { name: "Ann B." } },
    },
    output: {
      is_valid: true,
      problems: [],
      result: { title: "Hello!", tags: ["new", "example", "sample"], author: { name: "Ann B." } },
      patch: [
        { op: "add" as const, path: "/tags/0", value: "new" },
        { op: "replace" as const, path: "/author/name", value: "Ann B." },
        { op: "remove" as const, path: "/author/mail" },
      ],
      merge_patch: { tags: ["new", "example", "sample"], author: { mail: null, name: "Ann B." } },
      reverse: [
        { op: "remove" as const, path: "/tags/0" },
        { op: "replace" as const, path: "/author/name", value: "Ann" },
        { op: "add" as const, path: "/author/mail", value: "ann@example.com" },
      ],
    },
  },
  {
    name: "Apply a JSON Patch",
    input: {
      from: { stock: { apples: 3 }, sold: [] },
      patch: [
        { op: "test", path: "/stock/apples", value: 3 },
        { op: "replace", path: "/stock/apples", value: 2 },
        { op: "add", path: "/sold/-", value: "apple" },
      ],
    },
    output: {
      is_valid: true,
      problems: [],
      result: { stock: { apples: 2 }, sold: ["apple"] },
      patch: [
        { op: "replace" as const, path: "/stock/apples", value: 2 },
        { op: "add" as const, path: "/sold/0", value: "apple" },
      ],
      merge_patch: { stock: { apples: 2 }, sold: ["apple"] },
      reverse: [
        { op: "replace" as const, path: "/stock/apples", value: 3 },
        { op: "remove" as const, path: "/sold/0" },
      ],
    },
  },
  {
    name: "Apply a merge patch",
    input: {
      from: { name: "Ann", phone: "555-0100" },
      patch: { name: "Ann B.", phone: null },
      patch_type: "merge_patch" as const,
    },
    output: {
      is_valid: true,
      problems: [],
      result: { name: "Ann B." },
      patch: [
        { op: "replace" as const, path: "/name", value: "Ann B." },
        { op: "remove" as const, path: "/phone" },
      ],
      merge_patch: { phone: null, name: "Ann B." },
      reverse: [
        { op: "replace" as const, path: "/name", value: "Ann" },
        { op: "add" as const, path: "/phone", value: "555-0100" },
      ],
    },
  },
  {
    name: "A test that fails",
    input: { from: { version: 2 }, patch: [{ op: "test", path: "/version", value: 1 }] },
    output: {
      is_valid: false,
      problems: [
        {
          code: "test_failed" as const,
          severity: "error" as const,
          message: "Operation 0 (counted from 0), test: the value at /version differs.",
          where: "patch[0].value",
        },
      ],
      result: null,
      patch: null,
      merge_patch: null,
      reverse: null,
    },
  },
]
