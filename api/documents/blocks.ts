/**
 * The content of a page of the documentation, as blocks. A page and its Markdown twin are made from the same blocks.
 * Texts may have `code` between backticks, and links such as `[the fields](/docs#objects)`.
 */
import { copyButton } from './copy.ts'
import { type Html, html, marked } from './html.ts'

export type Block =
  | Readonly<{ heading: string; level: 2 | 3; id?: string }>
  | Readonly<{ text: string; isSoft?: boolean }>
  | Readonly<{ heads: readonly string[]; rows: readonly (readonly string[])[] }>
  | CodeBlock

export type CodeBlock = Readonly<{
  code: string
  /** The line that opens the code on the page. */
  summary: string
  /** The name of the language in Markdown. */
  language?: string
  isOpen?: boolean
  /** Whether the page has a button that copies the code. Such a page needs `copyScript` and `copyStyle`. */
  hasCopyButton?: boolean
}>

export const htmlOf = (blocks: readonly Block[]): readonly Html[] =>
  blocks.map((block) => html`${htmlOfBlock(block)}\n`)

function htmlOfBlock(block: Block): Html {
  if ('heading' in block) {
    const { heading, level, id } = block
    const attribute = id === undefined ? html`` : html` id="${id}"`
    return level === 2 ? html`<h2${attribute}>${marked(heading)}</h2>` : html`<h3${attribute}>${marked(heading)}</h3>`
  }
  if ('text' in block)
    return block.isSoft ? html`<p class="soft">${marked(block.text)}</p>` : html`<p>${marked(block.text)}</p>`
  if ('code' in block) return htmlOfCode(block)
  return html`<div class="wide"><table class="fields"><thead><tr>${block.heads.map((head) => html`<th>${head}</th>`)}</tr></thead><tbody>
${block.rows.map((cells) => html`<tr>${cells.map((cell) => html`<td>${marked(cell)}</td>`)}</tr>\n`)}</tbody></table></div>`
}

const htmlOfCode = ({ code, summary, isOpen = false, hasCopyButton = false }: CodeBlock): Html =>
  html`<details${{ html: isOpen ? ' open' : '' }}><summary>${summary}</summary><pre tabindex="0" aria-label="Code: ${summary}">${hasCopyButton ? copyButton : []}<code>${code}</code></pre></details>`

/** Writes the blocks as Markdown. Links are made absolute, because the text is read apart from the service. */
export const markdownOf = (blocks: readonly Block[], baseUrl: string): string =>
  `${blocks.map((block) => markdownOfBlock(block).replace(/\]\(\//g, `](${baseUrl}/`)).join('\n\n')}\n`

function markdownOfBlock(block: Block): string {
  if ('heading' in block) return `${'#'.repeat(block.level)} ${block.heading}`
  if ('text' in block) return block.text
  if ('code' in block) return `${block.summary}:\n\n\`\`\`${block.language ?? ''}\n${block.code}\n\`\`\``
  const lineOf = (cells: readonly string[]) =>
    `| ${cells.map((cell) => cell.replace(/\|/g, '\\|').replace(/\s*\n\s*/g, ' ')).join(' | ')} |`
  return [lineOf(block.heads), lineOf(block.heads.map(() => '---')), ...block.rows.map(lineOf)].join('\n')
}
