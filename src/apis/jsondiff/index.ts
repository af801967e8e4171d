import { Type } from "@sinclair/typebox"
import { jsonValue } from "../../values/json-value.ts"
import { choice, defineIsolatedApi, nullable, premium } from "../contract.ts"
import { field, storedExamples } from "../shared.ts"
import answers from "./answers.json"
import stored from "./examples.json"
import { problemList } from "./problems.ts"

const operations = (description: string) =>
  nullable(
    Type.Array(
      Type.Object({
        op: choice(["add", "remove", "replace"], { description: "The operation." }),
        path: field.text("The place to change, as a JSON Pointer (RFC 6901): `/users/0/name`."),
        value: Type.Optional(
          jsonValue({ description: "The value to put there; absent in a `remove` operation." }),
        ),
      }),
    ),
    { description },
  )

export const jsondiff = defineIsolatedApi({
  id: "jsondiff",
  title: "JSON difference and patch",
  category: "data",
  keywords: [
    ...["JSON Patch", "merge patch", "RFC 6902", "RFC 7386", "JSON Pointer"],
    ...["compare", "changed", "changes", "documents", "apply", "undo"],
  ],
  description:
    "Compares two JSON documents, or applies a patch to one. Returns the new document, and the change as JSON Patch (RFC 6902) and merge patch (RFC 7386).",
  method: "POST",
  credits: 1,
  input: Type.Object({
    from: jsonValue({
      description:
        "The document before the change. Whole numbers beyond 2^53 lose digits, as in most programs: send them as text.",
    }),
    to: Type.Optional(jsonValue({ description: "The document after the change, to compare with `from`." })),
    patch: Type.Optional(jsonValue({ description: "The patch to apply to `from`. Leave out `to` then." })),
    patch_type: field.optional.choice(
      "The kind of `patch`: JSON Patch (RFC 6902) or merge patch (RFC 7386).",
      ["json_patch", "merge_patch"],
      "json_patch",
    ),
    ignore: Type.Optional(
      Type.Array(Type.String({ maxLength: 1_000 }), {
        maxItems: 20,
        description:
          "Places that are left out of `from` and `to` before they are compared, as JSON Pointers (RFC 6901) in which `*` stands for any name or index: `/updated_at`, `/users/*/last_login`. An item of a list becomes null, so that the others keep their place.",
      }),
    ),
  }),
  output: Type.Object({
    is_valid: field.flag("Whether the patch could be applied. Always true for a comparison."),
    problems: problemList,
    result: jsonValue({
      description: "The document after the change; null if the patch could not be applied.",
    }),
    patch: operations(
      "The JSON Patch (RFC 6902) that turns `from` into `result`: empty if they are equal, null if there is no result.",
    ),
    merge_patch: jsonValue({
      description:
        "The merge patch (RFC 7386) that turns `from` into `result`; null if there is none, since merge patches cannot set a member to null.",
    }),
    reverse: premium(
      operations("The JSON Patch that turns `result` back into `from`; null if there is no result."),
    ),
  }),
  examples: storedExamples(stored, answers),
  // A patch may copy a document into itself again and again.
  isolated: { limitMs: 1_000, isBounded: ({ patch }) => patch === undefined },
})
