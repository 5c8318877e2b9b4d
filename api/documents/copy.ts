/** The buttons that copy code. A page is complete without its script, which shows them. */
import { readFileSync } from 'node:fs'
import { html } from './html.ts'

export const copyScript = readFileSync(new URL('./copy.js', import.meta.url), 'utf8')

export const copyStyle = `
.copy{display:block;margin:0 0 .5rem auto;font:inherit;font-size:.85rem;color:var(--ink);background:var(--paper);border:1px solid var(--line);border-radius:6px;padding:.3rem .7rem;cursor:pointer}
.copy:focus-visible{outline:2px solid var(--mark);outline-offset:2px}
[hidden]{display:none}
`

export const copyButton = html`<button class="copy" type="button" hidden>Copy</button>`

/** Where the script says what it copied. */
export const copyState = html`<p id="said" class="soft" role="status"></p>`
