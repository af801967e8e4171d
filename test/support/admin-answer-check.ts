import { operations } from "../../src/admin/operations.ts"
import { createCatalog } from "../../src/apis/catalog.ts"
import { routesOf } from "../../src/surfaces/http/admin/operation-routes.ts"
import { createAdminDocument } from "../../src/surfaces/openapi/admin/document.ts"
import { type AnswerCheck, createAnswerCheck } from "./answer-check.ts"

const routes = routesOf(operations)
  .map((one) => ({ ...one, pattern: new RegExp(`^${one.template.replaceAll(/\{\w+\}/g, "[^/]+")}$`) }))
  .toSorted((a, b) => a.inPath.length - b.inPath.length)
const apiIds = createCatalog().map(({ id }) => id)
let check: AnswerCheck | undefined

/** Throws when an answer of the admin API does not fit its OpenAPI document. */
export const checkAdminAnswer: AnswerCheck = (method, path, response) => {
  check ??= createAnswerCheck(createAdminDocument({ operations, apiIds, version: "0.0.0-test" }), templateOf)
  return check(method, path, response)
}

/** `/admin/v1/keys/{id}` for a path such as `/admin/v1/keys/key_1`. A written name wins over a parameter. */
function templateOf(method: string, path: string): string {
  const fitting = routes.filter(({ pattern }) => pattern.test(path))
  const route = fitting.find(({ operation }) => operation.method === method) ?? fitting[0]
  return route?.template ?? path
}
