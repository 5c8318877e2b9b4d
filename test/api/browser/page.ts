/** The script of the test page. It buys answers over HTTP and calls the MCP tools. */
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { ExactEvmScheme } from '@x402/evm/exact/client'
import { decodePaymentResponseHeader, wrapFetchWithPayment, x402Client } from '@x402/fetch'
import type { Hex } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'

/** The parts of a response that a page can read. */
export type Seen = Readonly<{ status: number; text: string; code: string | null; receipt: object | null }>

const seenOf = async (response: Response): Promise<Seen> => {
  const text = await response.text()
  const receipt = response.headers.get('payment-response')
  return {
    ...{ status: response.status, text, code: (JSON.parse(text) as { code?: string }).code ?? null },
    receipt: receipt === null ? null : decodePaymentResponseHeader(receipt),
  }
}

Object.assign(globalThis, {
  ask: async (url: string) => {
    const response = await fetch(url)
    return { ...(await seenOf(response)), required: response.headers.get('payment-required') }
  },
  buy: async (url: string, key: Hex) => {
    const client = new x402Client().register('eip155:8453', new ExactEvmScheme(privateKeyToAccount(key)))
    return seenOf(await wrapFetchWithPayment(fetch.bind(globalThis), client)(url))
  },
  listTools: async (url: string) => {
    const client = new Client({ name: 'page', version: '1.0.0' }, { versionNegotiation: { mode: 'auto' } })
    await client.connect(new StreamableHTTPClientTransport(new URL(url)))
    const { tools } = await client.listTools()
    await client.close()
    return tools.map(({ name }) => name)
  },
})
