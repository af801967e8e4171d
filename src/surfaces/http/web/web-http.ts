import { readWebFiles } from "#web-files"
import type { Brand } from "../../../config/brand.ts"
import { createResource, pageHeaders, type Resource } from "../resource.ts"
import { sendAsset } from "./asset.ts"
import { type BrandFiles, createBrandFiles } from "./brand-files.ts"
import { hashedName, type WebFiles } from "./web-files.ts"

/** Nothing may be loaded from another host, and no script or style may stand in the page. */
const headers = {
  ...pageHeaders({ "img-src": "'self' data:", "form-action": "'self'" }),
  "content-type": "text/html; charset=utf-8",
}

/** Answers requests for the pages of the front end and for the files that they load. */
export async function createWebHttp(brand: Brand) {
  const files = await readWebFiles()
  const brandFiles = createBrandFiles(brand)
  const own = [brandFiles.style, brandFiles.icon, brandFiles.logo]
  const page = (name: WebPage) =>
    createResource({ headers, read: () => printWebPage(name, files, brand, brandFiles) })
  return {
    pages: { console: page("console"), portal: page("portal"), mock: page("mock") },
    /** Undefined for an unknown name. */
    asset(name: string): Resource | undefined {
      const file = own.find((each) => each?.name === name) ?? files.get(name)
      return file && ((request, set) => sendAsset(file, request, set))
    },
  }
}

/** The name of a page: what runs in it, and what its address begins with. */
export type WebPage = "console" | "portal" | "mock"

/** The text where scripts are turned off. */
const withoutScript: Readonly<Record<WebPage, string>> = {
  console:
    "The console needs JavaScript. Turn it on in your browser, or use the commands of <code>penknife</code>, which do the same.",
  mock: "The page of the test double needs JavaScript. Turn it on in your browser, or call its control paths with <code>curl</code>.",
  portal:
    'The portal needs JavaScript. Turn it on in your browser. The <a href="/">documentation of the APIs</a> can be read without.',
}

/**
 * Prints one of these pages. It holds no data, script or style, so that its policy can forbid them: its script fetches the data.
 * Until that runs, the page shows the name of the service. It names the imports of the script, which a browser would otherwise
 * find only after it has loaded the script.
 */
function printWebPage(page: WebPage, files: WebFiles, { title, logo }: Brand, brandFiles: BrandFiles) {
  const name = Bun.escapeHTML(title)
  const icon = `/assets/${brandFiles.icon.name}`
  const sign = `/assets/${brandFiles.logo.name}`
  const script = hashedName(files, `${page}.js`)
  const styles = [hashedName(files, "penknife.css"), ...(brandFiles.style ? [brandFiles.style.name] : [])]
  const imports = files.get(script)?.imports ?? []
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<meta name="application-name" content="${name}">
${logo ? `<meta name="application-logo" content="${sign}">\n` : ""}<title>${name}</title>
<link rel="icon" href="${icon}">
${styles.map((style) => `<link rel="stylesheet" href="/assets/${style}">`).join("\n")}
<script type="module" src="/assets/${script}"></script>
${imports.map((part) => `<link rel="modulepreload" href="/assets/${part}">`).join("\n")}
</head>
<body>
<div id="app"><main class="start stack gap-5" id="main"><p class="mark inline gap-3"><img src="${sign}" alt="" height="28">${name}</p><noscript><p>${withoutScript[page]}</p></noscript></main></div>
</body>
</html>
`
}
