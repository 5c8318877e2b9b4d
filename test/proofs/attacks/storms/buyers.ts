/** Honest purchases on both networks, from chosen local addresses. */
import { randomBytes } from 'node:crypto'
import { Agent, request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { decodePaymentRequiredHeader, encodePaymentSignatureHeader } from '@x402/core/http'
import type { PaymentPayload, PaymentRequired } from '@x402/core/types'
import { ExactEvmScheme } from '@x402/evm/exact/client'
import { x402Client } from '@x402/fetch'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { paymentNetwork } from '../../../../api/payments/evm/network.ts'
import { svmNetwork } from '../../../../api/payments/svm/names.ts'
import { makeTransaction, signerOfSeed, toSvmPayload } from '../../../support/payments/svm-payments.ts'

export type Network = 'EVM' | 'Solana'

export type Buyer = Readonly<{
  payer: string
  sign: (required: PaymentRequired) => Promise<PaymentPayload>
}>

export async function createBuyer(network: Network): Promise<Buyer> {
  if (network === 'Solana') {
    const payer = await signerOfSeed(randomBytes(16).toString('hex'))
    return { payer: payer.address, sign: async (required) => signSolana(payer, required) }
  }
  const account = privateKeyToAccount(generatePrivateKey())
  const client = new x402Client().register(paymentNetwork, new ExactEvmScheme(account))
  const only = (required: PaymentRequired) => ({ ...required, accepts: offersOf(required, paymentNetwork) })
  return { payer: account.address, sign: async (required) => client.createPaymentPayload(only(required)) }
}

const offersOf = ({ accepts }: PaymentRequired, network: string) => accepts.filter((offer) => offer.network === network)

async function signSolana(
  payer: Awaited<ReturnType<typeof signerOfSeed>>,
  required: PaymentRequired,
): Promise<PaymentPayload> {
  const [accepted] = offersOf(required, svmNetwork)
  if (!accepted) throw new TypeError('Solana is not offered')
  const memo = randomBytes(8).toString('hex')
  return toSvmPayload(await makeTransaction({ payer, amount: BigInt(accepted.amount), memo }), accepted)
}

export const headerOf = (payload: PaymentPayload): string => encodePaymentSignatureHeader(payload)

export type Place = Readonly<{ port: number; address: string; path: string }>

type Answer = Readonly<{ status: number; required: string | undefined; retryAfterSec: number }>

const agents = new Map<string, Agent>()

function ask(place: Place, payment?: string): Promise<Answer> {
  const { port, address, path } = place
  const agent = agents.get(address) ?? new Agent({ keepAlive: true, localAddress: address })
  agents.set(address, agent)
  const headers = payment === undefined ? {} : { 'payment-signature': payment }
  return new Promise((resolve, reject) => {
    const asked = request({ host: '127.0.0.1', port, path, agent, headers }, (response) => {
      response.resume()
      const { 'payment-required': required, 'retry-after': retryAfter } = response.headers
      const told = { required: required as string | undefined, retryAfterSec: Number(retryAfter ?? 1) }
      response.on('end', () => resolve({ status: response.statusCode ?? 0, ...told }))
    })
    asked.on('error', (error: NodeJS.ErrnoException) => {
      // The service may close an idle connection at the moment when a slow machine uses it again.
      if (asked.reusedSocket && error.code === 'ECONNRESET') resolve(ask(place, payment))
      else reject(error)
    })
    asked.end()
  })
}

export async function quoteAt(place: Place): Promise<PaymentRequired> {
  const { status, required } = await ask(place)
  if (status !== 402 || required === undefined) throw new TypeError(`no quote but ${status}`)
  return decodePaymentRequiredHeader(required)
}

/**
 * Buys an answer. Repeats the same payment while the service answers with status 503, for at most
 * `patienceMs`.
 */
export async function buy(buyer: Buyer, place: Place, patienceMs: number) {
  const startedAtMs = performance.now()
  const payment = headerOf(await buyer.sign(await quoteAt(place)))
  const signedAtMs = performance.now()
  for (let tries = 1; ; tries++) {
    const { status, retryAfterSec } = await ask(place, payment)
    const waitedMs = performance.now() - signedAtMs
    const isOver = performance.now() - startedAtMs + retryAfterSec * 1000 > patienceMs
    if (status !== 503 || isOver) return { isBought: status === 200, status, waitedMs, tries }
    await sleep(retryAfterSec * 1000)
  }
}

export function closeBuyers(): void {
  for (const agent of agents.values()) agent.destroy()
  agents.clear()
}
