/** The HTML pages for people. A page loads no other file. Only the front page and the pages of paid routes have a script. */
import { createHash } from 'node:crypto'
import { type Html, html } from './html.ts'

export type Page = Readonly<{
  patterns: readonly [`/${string}`, ...`/${string}`[]]
  /** What the text is. Default: HTML. */
  type?: 'html' | 'markdown' | 'text' | 'json'
  /** The style and the script with which `body` renders the page. Default: none of its own. */
  own?: Pick<Own, 'style' | 'script'>
  /** Returns the text of the page. The server calls this function only one time and caches the page. */
  body(): Promise<string>
}>

const style = `
:root{color-scheme:light dark;--ink:#1b1f24;--soft:#57606a;--line:#d8dee4;--paper:#fff;--shade:#f6f8fa;--mark:#0b5cad}
@media (prefers-color-scheme:dark){:root{--ink:#e6edf3;--soft:#9da7b3;--line:#30363d;--paper:#0d1117;--shade:#161b22;--mark:#79b8ff}}
*{box-sizing:border-box}
body{margin:0;background:var(--paper);color:var(--ink);font:16px/1.55 system-ui,sans-serif;overflow-wrap:anywhere}
main{max-width:60rem;margin:0 auto;padding:1.5rem 1rem 4rem}
h1{font-size:1.7rem;line-height:1.2;margin:.5rem 0 1rem}
h2{font-size:1.25rem;margin:3rem 0 .5rem;padding-top:1rem;border-top:1px solid var(--line)}
h3{font-size:1rem;margin:1.5rem 0 .4rem}
a{color:var(--mark)}
code,pre{font:.88em/1.5 ui-monospace,monospace}
code{background:var(--shade);padding:.1em .3em;border-radius:4px}
pre{background:var(--shade);padding:.8rem;overflow:auto;max-height:28rem;border:1px solid var(--line);border-radius:6px}
pre code{padding:0}
.wide{overflow-x:auto;margin:.4rem 0 1rem}
table{border-collapse:collapse;width:100%;font-size:.92rem}
th,td{text-align:left;vertical-align:top;padding:.4rem .6rem .4rem 0;border-bottom:1px solid var(--line)}
th{color:var(--soft);font-weight:600;white-space:nowrap}
td:first-child{min-width:8rem}
.soft{color:var(--soft)}
.price{white-space:nowrap;font-weight:600}
summary{cursor:pointer;color:var(--mark)}
@media (max-width:40rem){
 .fields thead{display:none}
 .fields tr{display:block;padding:.5rem 0;border-bottom:1px solid var(--line)}
 .fields td{display:block;padding:0;border:0}
}
`

const hashOf = (text: string): string => `'sha256-${createHash('sha256').update(text).digest('base64')}'`

/** What a page adds to the style of all pages, the script that it may run, and one sentence about it for search engines. */
type Own = Readonly<{ style?: string; script?: string; description?: string }>

type Allowed = Pick<Own, 'style' | 'script'> & Readonly<{ mayFetch?: boolean }>

/**
 * Returns the Content-Security-Policy of a page. It allows the style of the page, and its script if it has one. With
 * `mayFetch`, the script may read from this service, and from no other place.
 */
export const contentSecurityPolicyOf = ({ style: more = '', script, mayFetch = false }: Allowed = {}): string =>
  [
    "default-src 'none'",
    `style-src ${hashOf(style + more)}`,
    ...(script === undefined ? [] : [`script-src ${hashOf(script)}`]),
    ...(mayFetch ? ["connect-src 'self'"] : []),
    "base-uri 'none'",
    // The pages of the documentation have a form for the search.
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join(';')

/** The script runs before the page is painted, so that the ages that it writes over times move nothing that was seen. */
const scriptBeforePaint = (script: string): Html =>
  html`<script type="module" blocking="render">${{ html: script }}</script>\n`

export function renderPage(title: string, body: Html, { style: more = '', script, description }: Own = {}): string {
  const page = html`<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
${description === undefined ? [] : html`<meta name="description" content="${description}">\n`}<style>${{ html: style + more }}</style>
${script === undefined ? [] : scriptBeforePaint(script)}</head>
<body><main>${body}</main></body>
</html>
`
  return `<!doctype html>\n${page.html}`
}
