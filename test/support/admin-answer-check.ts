import { operations } from "../../src/admin/operations.ts"
import { matching, routesOf } from "../../src/surfaces/http/admin/operation-path.ts"
import { createAdminDocument } from "../../src/surfaces/openapi/admin/document.ts"
import { type AnswerCheck, createAnswerCheck } from "./answer-check.ts"

const routes = routesOf(operations)
let check: AnswerCheck | undefined

/** Throws when an answer of the admin API does not fit its OpenAPI document. */
export const checkAdminAnswer: AnswerCheck = (method, path, response) => {
  check ??= createAnswerCheck(createAdminDocument({ operations, version: "0.0.0-test" }), templateOf)
  return check(method, path, response)
}

/** `/admin/v1/keys/{id}` for a path such as `/admin/v1/keys/key_1`. A written name wins over a parameter. */
function templateOf(method: string, path: string): string {
  const fitting = matching(path, routes).toSorted((a, b) => a.inPath.length - b.inPath.length)
  const route = fitting.find(({ operation }) => operation.method === method) ?? fitting[0]
  return route?.template ?? path
}
