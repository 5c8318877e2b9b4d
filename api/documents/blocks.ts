/**
 * The content of a page of the documentation, as blocks. A page and its Markdown twin are made from the same blocks.
 * Texts may have `code` between backticks, and links such as `[the fields](/docs#objects)`.
 */
import { type Html, html, marked } from './html.ts'

export type Block =
  | Readonly<{ heading: string; level: 2 | 3; id?: string }>
  | Readonly<{ text: string; isSoft?: boolean }>
  | Readonly<{ heads: readonly string[]; rows: readonly (readonly string[])[] }>
  /** `summary`: the line that opens the code on the page. */
  | Readonly<{ code: string; summary: string }>

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
  if ('code' in block)
    return html`<details><summary>${block.summary}</summary><pre tabindex="0"><code>${block.code}</code></pre></details>`
  return html`<div class="wide"><table class="fields"><thead><tr>${block.heads.map((head) => html`<th>${head}</th>`)}</tr></thead><tbody>
${block.rows.map((cells) => html`<tr>${cells.map((cell) => html`<td>${marked(cell)}</td>`)}</tr>\n`)}</tbody></table></div>`
}

/** Writes the blocks as Markdown. Links are made absolute, because the text is read apart from the service. */
export const markdownOf = (blocks: readonly Block[], baseUrl: string): string =>
  `${blocks.map((block) => markdownOfBlock(block).replace(/\]\(\//g, `](${baseUrl}/`)).join('\n\n')}\n`

function markdownOfBlock(block: Block): string {
  if ('heading' in block) return `${'#'.repeat(block.level)} ${block.heading}`
  if ('text' in block) return block.text
  if ('code' in block) return `${block.summary}:\n\n\`\`\`\n${block.code}\n\`\`\``
  const lineOf = (cells: readonly string[]) =>
    `| ${cells.map((cell) => cell.replace(/\|/g, '\\|').replace(/\s*\n\s*/g, ' ')).join(' | ')} |`
  return [lineOf(block.heads), lineOf(block.heads.map(() => '---')), ...block.rows.map(lineOf)].join('\n')
}
