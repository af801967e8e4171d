/** The path of the document that describes the admin API. */
export const documentPath = "/admin/openapi.json"
