import { promisify } from "node:util"
import { gunzip } from "node:zlib"
import { readWebFiles } from "#web-files"
import type { Brand } from "../../../config/brand.ts"
import { once } from "../../../values/once.ts"
import type { AnswerSettings } from "../request.ts"
import { chooseForm, createResource, pageHeaders, type Resource, SharedBytes } from "../resource.ts"
import { type BrandFiles, createBrandFiles } from "./brand-files.ts"
import { type Coding, codings, hashedName, type WebFile, type WebFiles } from "./web-files.ts"

const unzip = promisify(gunzip)

const types: Readonly<Record<string, string>> = {
  js: "text/javascript; charset=utf-8",
  css: "text/css; charset=utf-8",
  svg: "image/svg+xml",
  png: "image/png",
}

/** For an SVG that is opened by itself: nothing in it runs or loads anything. */
const picturePolicy = "default-src 'none'; style-src 'unsafe-inline'; sandbox"

/** The forms of files that were asked for. They are few and stay for good. */
const known = new WeakMap<WebFile, Readonly<Record<Coding | "identity", () => Promise<SharedBytes>>>>()

function formsOf(file: WebFile) {
  const packed = (coding: Coding) => once(async () => new SharedBytes([await file.read(coding)]))
  return known.getOrInsertComputed(file, () => ({
    br: packed("br"),
    gzip: packed("gzip"),
    identity: once(async () => new SharedBytes([await unzip(await file.read("gzip"))])),
  }))
}

/** Answers with a file whose name changes with its bytes, so that a browser keeps it for good (RFC 8246). */
async function sendAsset(file: WebFile, request: Request, set: AnswerSettings) {
  const { name } = file
  Object.assign(set.headers, {
    "content-type": types[name.slice(name.lastIndexOf(".") + 1)] ?? "application/octet-stream",
    "cache-control": "public, max-age=31536000, immutable",
  })
  if (name.endsWith(".svg")) set.headers["content-security-policy"] = picturePolicy
  const coding = chooseForm(request, set, name, codings)
  return coding && formsOf(file)[coding]()
}

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
