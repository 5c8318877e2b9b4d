/**
 * How to pay, in ten lines of code that run as they stand. The front page and the pages of paid routes show them. The
 * code uses the official packages, because buyers cannot install the client of this repository (`api/client/`) from
 * npm. `infra/docs/client.md` is about that client.
 */
import type { CodeBlock } from './blocks.ts'

export const howToPay =
  'A first request gets `402` with the price. Any x402 client signs a transfer of USDC and asks again. The service settles it only with the answer.'

/** Returns code that buys the answer at the URL. */
export const payCodeOf = (url: string): readonly CodeBlock[] => [
  { summary: 'curl: read the price', language: 'sh', isOpen: true, hasCopyButton: true, code: `curl -i ${url}` },
  {
    ...{ summary: 'TypeScript: buy an answer', language: 'ts', hasCopyButton: true },
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
    ...{ summary: 'Python: buy an answer', language: 'python', hasCopyButton: true },
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
