/** A payment facilitator that returns false answers. Behind it, a local chain moves real transfers. */
import { setTimeout as sleep } from 'node:timers/promises'
import { decodePaymentRequiredHeader, encodePaymentSignatureHeader } from '@x402/core/http'
import { ExactEvmScheme } from '@x402/evm/exact/client'
import { x402Client } from '@x402/fetch'
import { privateKeyToAccount } from 'viem/accounts'
import { paymentNetwork } from '../../../../api/payments/evm/network.ts'
import { startLocalPayments } from '../../../../infra/development/payments/start-local-payments.ts'
import { compareFacts } from './compare-facts.ts'
import { type Answer, type Question, startLiar } from './liar.ts'
import { readChainA } from './node-a.ts'
import { type Lying, lieAbout } from './tell.ts'
import type { World } from './world.ts'

const path = '/v1/rh/bursts/live'
const priceUsdMicros = 10_000n
const underWayMax = 8
/** A buyer repeats the same payment for this time. */
const patienceMs = 90_000
const stepsPerPurchase = 3

type Purchase = Readonly<{ payment: string; body: string | null; statuses: readonly number[] }>

export async function openFacilitator(seed: number): Promise<World> {
  const money = await startLocalPayments({ isEvmAlone: true })
  const liar = await startLiar({ seed, honest: ask(money.facilitatorUrl), lie: lieInAnswer })
  const signer = new x402Client().register(
    paymentNetwork,
    new ExactEvmScheme(privateKeyToAccount(money.buyerPrivateKey)),
  )
  let shop: string | null = null
  let steps = 0
  const underWay = new Set<Promise<void>>()
  const purchases: Purchase[] = []
  const buy = async (url: string, limitMs: number): Promise<boolean> => {
    const quote = await fetch(url).catch(() => null)
    const required = quote?.headers.get('payment-required')
    await quote?.arrayBuffer()
    if (!required) return false
    const signed = await signer.createPaymentPayload(decodePaymentRequiredHeader(required))
    const payment = encodePaymentSignatureHeader(signed)
    const bought = await claim(url, payment, limitMs)
    purchases.push({ payment, ...bought })
    return bought.body !== null
  }
  const before = await money.usdcBalanceOf(money.payTo)
  return {
    liar,
    environmentOf: (side) => ({
      SIMULATOR_SEED: '1',
      SIMULATOR_LOOK_BACK_HOURS: '1',
      X402_FACILITATOR_URL: side === 'lied to' ? liar.url : money.facilitatorUrl,
      X402_PAY_TO_EVM: money.payTo,
      X402_EVM_RPC_URL: money.rpcUrl,
    }),
    step() {
      if (shop === null || ++steps % stepsPerPurchase !== 0 || underWay.size >= underWayMax) return
      const buying: Promise<void> = buy(shop, patienceMs)
        .then(() => undefined)
        .finally(() => underWay.delete(buying))
      underWay.add(buying)
    },
    // The first call is for the service that gets the lies, so the purchases go to that service.
    async isWhole({ baseUrl }) {
      shop ??= `${baseUrl}${path}`
      return buy(`${baseUrl}${path}`, 10_000)
    },
    async settle() {
      await Promise.all(underWay)
      // Buyers without an answer repeat their payments now. This is the last chance for a charged buyer to
      // get the answer.
      for (const [index, purchase] of purchases.entries())
        if (purchase.body === null && shop !== null)
          purchases[index] = { ...purchase, ...(await claim(shop, purchase.payment, 20_000)) }
      return []
    },
    compare: async (folders) => {
      const facts = await compareFacts('facts of the simulated chain A', folders, readChainA)
      const sold = purchases.filter(({ body }) => body !== null).length
      const paid = Number(((await money.usdcBalanceOf(money.payTo)) - before) / priceUsdMicros)
      const broken = purchases.filter(({ body }) => body !== null && !isAnswer(body)).length
      return {
        compared: `${purchases.length} purchases, of which ${sold} were answered and ${paid} paid for, and ${facts.compared}`,
        differences: [
          ...facts.differences,
          ...(paid > sold ? [`${paid - sold} purchases were paid for and never answered`] : []),
          ...(paid < sold ? [`${sold - paid} answers were given away`] : []),
          ...(broken > 0 ? [`${broken} answers are broken`] : []),
        ],
      }
    },
    leftOut: ['that a payment which was not settled is settled, in the right form: `lying-facilitator` tells that'],
    stop: async () => {
      await liar.stop()
      await money.stop()
    },
  }
}

const ask =
  (base: string) =>
  async ({ method, path, body }: Question): Promise<Answer> => {
    const response = await fetch(`${base}${path}`, {
      method,
      ...(method === 'GET' ? {} : { body, headers: { 'content-type': 'application/json' } }),
    })
    return { status: response.status, text: await response.text() }
  }

/**
 * Changes an answer of the facilitator. A refusal never becomes an acceptance, so no buyer gets an answer
 * without paying.
 */
function lieInAnswer(_: Question, answer: Answer, lying: Lying): Answer {
  const honest = JSON.parse(answer.text) as Readonly<Record<string, unknown>>
  const lied = lieAbout(honest, lying) as Readonly<Record<string, unknown>> | null
  const isGift = (name: string) => honest[name] === false && lied?.[name] === true
  return { ...answer, text: JSON.stringify(isGift('success') || isGift('isValid') ? honest : lied) }
}

async function claim(url: string, payment: string, limitMs: number): Promise<Omit<Purchase, 'payment'>> {
  const endAtMs = Date.now() + limitMs
  const statuses: number[] = []
  for (;;) {
    const response = await fetch(url, { headers: { 'payment-signature': payment } }).catch(() => null)
    const text = (await response?.text().catch(() => null)) ?? null
    statuses.push(response?.status ?? 0)
    if (response?.status === 200 && text !== null) return { body: text, statuses }
    const isLater = response === null || [402, 409, 429, 503].includes(response.status)
    if (!isLater || Date.now() > endAtMs) return { body: null, statuses }
    await sleep(Math.min(10, Number(response?.headers.get('retry-after') ?? 2)) * 1000)
  }
}

const isAnswer = (body: string): boolean => 'generatedAt' in (JSON.parse(body) as object)
