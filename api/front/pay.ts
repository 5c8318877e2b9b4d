/** The prices, and how to pay in a few lines, with code that runs as it stands. */
import { type Html, html } from '../documents/html.ts'

/** A paid route: the name of its page, its path, its price in dollars as text, and what it answers. */
export type Priced = Readonly<{ name: string; path: string; price: string; description: string }>

export function paySection(priced: readonly Priced[], baseUrl: string): Html {
  const url = `${baseUrl}/v1/snapshot`
  return html`<section aria-labelledby="h-pay"><h2 id="h-pay">Prices, and how to pay</h2>
<p>A first request gets <code>402</code> with the price. Any x402 client signs a transfer of USDC and asks again. The service settles it only with the answer.</p>
<div class="pay">${samplesOf(url).map(
    ({ title, code }, index) =>
      html`<details${{ html: index === 0 ? ' open' : '' }}><summary>${title}</summary><pre tabindex="0" aria-label="Code: ${title}"><button class="copy" type="button" hidden>Copy</button><code>${code}</code></pre></details>`,
  )}</div>
<div class="wide" tabindex="0" role="region" aria-label="Table of prices"><table class="fields prices"><thead><tr><th scope="col">Route</th><th scope="col" class="number">USD</th><th scope="col">Answer</th></tr></thead><tbody>
${priced.map(({ name, path, price, description }) => html`<tr><th scope="row"><a href="/docs/${name}">${path}</a></th><td class="number">${price}</td><td>${description}</td></tr>`)}</tbody></table></div></section>`
}

type Sample = Readonly<{ title: string; code: string }>

const samplesOf = (url: string): readonly Sample[] => [
  { title: 'curl: read the price', code: `curl -i ${url}` },
  {
    title: 'TypeScript: buy an answer',
    code: `// npm install @x402/fetch @x402/evm viem
import { env } from 'node:process'
import { ExactEvmScheme } from '@x402/evm/exact/client'
import { wrapFetchWithPayment, x402Client } from '@x402/fetch'
import { privateKeyToAccount } from 'viem/accounts'

const account = privateKeyToAccount(env.PRIVATE_KEY as \`0x\${string}\`)
const client = new x402Client().register('eip155:8453', new ExactEvmScheme(account))
const response = await wrapFetchWithPayment(fetch, client)('${url}')
console.log(response.status, await response.json())`,
  },
  {
    title: 'Python: buy an answer',
    code: `# pip install "x402[requests,evm]"
import os, requests
from eth_account import Account
from x402 import x402ClientSync
from x402.http.clients import wrapRequestsWithPayment
from x402.mechanisms.evm.exact import register_exact_evm_client

client = register_exact_evm_client(x402ClientSync(), Account.from_key(os.environ["PRIVATE_KEY"]))
response = wrapRequestsWithPayment(requests.Session(), client).get("${url}")
print(response.status_code, response.json())`,
  },
]
