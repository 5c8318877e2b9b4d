/** The prices, and how to pay. */
import { htmlOf } from '../documents/blocks.ts'
import { type Html, html, marked } from '../documents/html.ts'
import { howToPay, payCodeOf } from '../documents/pay-code.ts'

/** A paid route: the name of its page, its path, its price in dollars as text, and what it answers. */
export type Priced = Readonly<{ name: string; path: string; price: string; description: string }>

export function paySection(priced: readonly Priced[], baseUrl: string): Html {
  return html`<section aria-labelledby="h-pay"><h2 id="h-pay">Prices, and how to pay</h2>
<p>${marked(howToPay)}</p>
<div class="pay">${htmlOf(payCodeOf(`${baseUrl}/v1/snapshot`))}</div>
<div class="wide" tabindex="0" role="region" aria-label="Table of prices"><table class="fields prices"><thead><tr><th scope="col">Route</th><th scope="col" class="number">USD</th><th scope="col">Answer</th></tr></thead><tbody>
${priced.map(({ name, path, price, description }) => html`<tr><th scope="row"><a href="/docs/${name}">${path}</a></th><td class="number">${price}</td><td>${description}</td></tr>`)}</tbody></table></div></section>`
}
