/**
 * A small HTTP server in place of the service. It offers every path for a price, records the payments that it gets,
 * and answers as the test tells it. It moves no money: it notes which payments it has charged.
 */
import type { ServerResponse } from 'node:http'
import { decodePaymentSignatureHeader, encodePaymentRequiredHeader, encodePaymentResponseHeader } from '@x402/core/http'
import type { PaymentRequirements } from '@x402/core/types'
import { declarePaymentIdentifierExtension } from '@x402/extensions/payment-identifier'
import { privateKeyToAccount } from 'viem/accounts'
import type { World } from '../../../api/client/backoff.ts'
import type { BuyerOptions } from '../../../api/client/open-buyer.ts'
import { buyerKey, sellerAddress } from '../../support/payments/paid-service.ts'
import { startPlainServer } from '../../support/sockets/plain-server.ts'

/** A reply to a signed payment. `charge` notes the payment as charged. */
export type Act = (response: ServerResponse, charge: () => void) => void

type Sent = Readonly<{ path: string; header: string; name: unknown; nonce: unknown }>

const usdc = '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913'

export const offered = (changes: Partial<PaymentRequirements> = {}): PaymentRequirements => ({
  ...{ scheme: 'exact', network: 'eip155:8453', asset: usdc, amount: '10000', payTo: sellerAddress },
  ...{ maxTimeoutSeconds: 120, extra: { name: 'USD Coin', version: '2' } },
  ...changes,
})

export type ShopDouble = Readonly<{
  url: string
  sent: Sent[]
  /** The nonces of the payments that were charged. */
  charged: Set<unknown>
  /** The replies to the next payments. Without one, a payment gets its answer. */
  acts: Act[]
  offer: { accepts: PaymentRequirements[]; hasNames: boolean }
  /** Replies to requests without a payment. Null: 402. */
  unpaid: { act: ((response: ServerResponse) => void) | null }
  close: () => void
}>

export const answer: Act = (response, charge) => {
  charge()
  response.setHeader('PAYMENT-RESPONSE', receipt)
  response.end('{"generatedAt":1}')
}
const receipt = encodePaymentResponseHeader({ success: true, transaction: '0xpaid', network: 'eip155:8453' })

export const cut: Act = (response, charge) => {
  charge()
  response.destroy()
}
export const cutInBody: Act = (response, charge) => {
  charge()
  response.writeHead(200, { 'content-length': '100' })
  response.write('{"generated', () => response.destroy())
}
/** A proxy that ends a cut answer as if it were whole. */
export const endEarly: Act = (response, charge) => {
  charge()
  response.end('{"generated')
}
export const refuse =
  (status: number, code: string, error: string): Act =>
  (response) => {
    response.writeHead(status, { 'content-type': 'application/json' })
    response.end(JSON.stringify({ error, code, docs: 'https://data.example/docs' }))
  }
export const badGateway: Act = (response, charge) => {
  charge()
  response.writeHead(502)
  response.end('<html>Bad Gateway</html>')
}

export async function startShopDouble(): Promise<ShopDouble> {
  const sent: Sent[] = []
  const charged = new Set<unknown>()
  const acts: Act[] = []
  const offer: ShopDouble['offer'] = { accepts: [offered()], hasNames: true }
  const unpaid: ShopDouble['unpaid'] = { act: null }
  const { url, stop: close } = await startPlainServer((request, response) => {
    const header = request.headers['payment-signature']
    if (typeof header !== 'string') return unpaid.act === null ? quote(response, offer) : unpaid.act(response)
    const payment = decodePaymentSignatureHeader(header)
    const { nonce } = (payment.payload as Readonly<{ authorization: { nonce: unknown } }>).authorization
    const identifier = payment.extensions?.['payment-identifier'] as { info: { id?: unknown } } | undefined
    sent.push({ path: request.url ?? '', header, name: identifier?.info.id, nonce })
    const act = acts.shift() ?? answer
    act(response, () => charged.add(nonce))
  })
  return { url, sent, charged, acts, offer, unpaid, close }
}

function quote(response: ServerResponse, { accepts, hasNames }: ShopDouble['offer']): void {
  const extensions = hasNames ? { 'payment-identifier': declarePaymentIdentifierExtension(false) } : {}
  const required = { x402Version: 2, resource: { url: 'https://data.example/' }, accepts, extensions }
  response.writeHead(402, { 'PAYMENT-REQUIRED': encodePaymentRequiredHeader(required) })
  response.end('{"error":"This call costs 0.01 USD","code":"payment_required"}')
}

/** A world whose pauses take no time. `slept` has their lengths. */
export function createWorld() {
  const world = { atMs: Date.UTC(2026, 10, 28, 12), slept: [] as number[] }
  const is: World = {
    nowMs: () => world.atMs,
    random: () => 0,
    sleep: async (durationMs) => {
      world.slept.push(durationMs)
    },
  }
  return { ...is, world }
}

export const optionsFor = (url: string, changes: Partial<BuyerOptions> = {}): BuyerOptions => ({
  baseUrl: url,
  wallet: { network: 'evm', signer: privateKeyToAccount(buyerKey) },
  limits: { perCallUsdc: 0.05, perDayUsdc: 1 },
  world: createWorld(),
  ...changes,
})
