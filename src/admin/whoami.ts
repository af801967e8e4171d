import { Type } from "@sinclair/typebox"
import { defineRead } from "./operation.ts"
import { grants, permissions } from "./permission.ts"

export const whoami = defineRead({
  id: "whoami",
  title: "Show who you are",
  description: "Shows who you are signed in as, and your permissions.",
  permission: null,
  path: "/whoami",
  command: { words: "whoami", example: "" },
  input: Type.Object({}),
  output: Type.Object({
    actor: Type.String({ description: "As whom you act, as the audit log names it." }),
    name: Type.String({ description: "A name to show with the id." }),
    permissions: Type.Array(Type.String({ enum: grants }), { description: "What you were granted." }),
    source: Type.String({ description: "Where you come from." }),
    known_permissions: Type.Record(Type.String(), Type.String(), {
      description: "Every permission there is, and what it allows.",
    }),
  }),
  async read(_, { actor: { id, name, permissions: granted, source } }) {
    return { actor: id, name, permissions: [...granted], source, known_permissions: { ...permissions } }
  },
})
