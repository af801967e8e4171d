import graphiqlStyle from "graphiql/graphiql.min.css" with { type: "file" }
import graphiqlScript from "graphiql/graphiql.min.js" with { type: "file" }
// By path: the packages do not export the builds that a page can load.
import reactScript from "../../../../node_modules/react/umd/react.production.min.js" with { type: "file" }
import reactDomScript from "../../../../node_modules/react-dom/umd/react-dom.production.min.js" with {
  type: "file",
}
import type { Resource } from "../resource.ts"
import { pageResources } from "./page-resource.ts"

/** GraphiQL writes styles into the page, and its editors' fonts are `data:` URLs. */
const { html, script, scriptFile, styleFile } = pageResources({
  "style-src": "'self' 'unsafe-inline'",
  "font-src": "'self' data:",
})

/** Contains no script, so that its policy can forbid them. */
const page = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>GraphiQL · penknife</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/graphiql/graphiql.css">
<style>html, body, #graphiql { height: 100%; margin: 0 }</style>
<script src="/graphiql/react.js" defer></script>
<script src="/graphiql/react-dom.js" defer></script>
<script src="/graphiql/graphiql.js" defer></script>
<script src="/graphiql/start.js" defer></script>
</head>
<body>
<div id="graphiql"></div>
<noscript>This page needs JavaScript. The schema that it shows is printed by <code>penknife schema</code>.</noscript>
</body>
</html>
`

/** The key is typed into the headers editor. It is not kept: GraphiQL would write it to the browser's storage. */
const start = `ReactDOM.createRoot(document.getElementById("graphiql")).render(
  React.createElement(GraphiQL, {
    fetcher: GraphiQL.createFetcher({ url: "/v1/graphql" }),
    defaultHeaders: '{ "x-api-key": "" }',
    defaultEditorToolsVisibility: "headers",
    shouldPersistHeaders: false,
    defaultQuery: \`# 1. Write your API key into "Headers" below.
# 2. Press Ctrl+Enter to run the query.
# 3. Press the two arrows, bottom left: that
#    loads the documentation of every API.
{
  bluetoothlookup(input: { companyid: "76" }) {
    company
    companyIdHex
  }
}
\`,
  }),
)
`

/** The page of `GET /graphiql`. */
export const graphiqlPage = html(() => page)

/** What the page loads, by its name below `/graphiql/`. */
export const graphiqlParts: ReadonlyMap<string, Resource> = new Map([
  ["start.js", script(start)],
  ["react.js", scriptFile(reactScript)],
  ["react-dom.js", scriptFile(reactDomScript)],
  ["graphiql.js", scriptFile(graphiqlScript)],
  ["graphiql.css", styleFile(graphiqlStyle)],
])
