/** One page per error code. `docs` in an error body links to it. */
import { type ErrorCode, errorCodes, explained, statusOfError } from '../sale/error-codes.ts'
import { html, prose } from './html.ts'
import { type Page, renderPage } from './page.ts'

export const createErrorPages = (): readonly Page[] =>
  errorCodes.map((code) => ({
    patterns: [`/docs/errors/${code}`],
    html: async () => errorPage(code),
  }))

function errorPage(code: ErrorCode): string {
  const { meaning, toDo } = explained[code]
  const body = html`<p><a href="/docs">Launch Data Service</a></p>
<h1><code>${code}</code> <span class="soft">HTTP ${statusOfError(code)}</span></h1>
<h3>What it means</h3><p>${prose(meaning)}</p>
<h3>Was it charged?</h3><p>No. A refused request is never charged.</p>
<h3>What to do</h3><p>${prose(toDo)}</p>
<h3>The body</h3><p>${prose('`error` says what is wrong with this request, `code` is for programs, and `docs` is the address of this page.')}</p>
<p><a href="/docs#errors">All codes</a></p>`
  return renderPage(`${code}: Launch Data Service`, body)
}
