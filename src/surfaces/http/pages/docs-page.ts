/** The page of `GET /docs`. It contains no script and no style, so that its policy can forbid them. */
export const page = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>penknife</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/docs/viewer.css">
<script src="/docs/viewer.js" defer></script>
<script src="/docs/start.js" defer></script>
</head>
<body>
<div id="viewer"></div>
<noscript>This page needs JavaScript. The document that it shows is <a href="/openapi.json">/openapi.json</a>.</noscript>
</body>
</html>
`

/** Starts the viewer, without its badge, which calls a validator elsewhere, and without settings from the query string. */
export const start = `SwaggerUIBundle({
  url: "/openapi.json",
  dom_id: "#viewer",
  presets: [SwaggerUIBundle.presets.apis],
  layout: "BaseLayout",
  deepLinking: true,
  displayRequestDuration: true,
  defaultModelsExpandDepth: 0,
  queryConfigEnabled: false,
  requestSnippetsEnabled: true,
  showExtensions: true,
  tryItOutEnabled: true,
  validatorUrl: null,
})
`
