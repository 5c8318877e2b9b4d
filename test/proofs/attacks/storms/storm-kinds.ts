/** The kinds of storms (floods of requests): their paths, their rates, and how their payments are made. */
import { randomBytes } from 'node:crypto'
import type { PaymentPayload, PaymentRequired } from '@x402/core/types'
import { fixedPool } from '../../../support/fixed-queries.ts'
import { forge, forgeNamed } from '../../../support/payments/forgeries.ts'
import type { Storm } from './attacker.ts'
import { type Buyer, createBuyer, headerOf, type Network } from './buyers.ts'

export type World = Readonly<{
  required: PaymentRequired
  /** The buyers who have bought before on the EVM chain. */
  known: readonly Buyer[]
  tellPenniless: (payers: readonly string[]) => Promise<void>
}>

export type StormKind = Readonly<{
  name: string
  paymentsOf: (world: World) => Promise<readonly string[] | null>
  /** The time that the facilitator takes for each answer. Default: 20 ms. */
  answerMs?: number
}> &
  Pick<Storm, 'path' | 'perSecond' | 'together'>

export const boughtPath = '/v1/rh/bursts/live'
const keyedPath = `/v1/rh/token/${fixedPool.token}/rugcheck`

const named = async ({ required, known }: World): Promise<readonly string[]> => {
  const honest = await Promise.all(known.map(({ sign }) => sign(required)))
  return Array.from({ length: 600 }, (_, index) => forgeNamed(honest[index % honest.length] as PaymentPayload))
}

const ofNobody = async ({ required, known }: World): Promise<readonly string[]> => {
  const [someone] = known
  if (!someone) throw new TypeError('nobody has bought')
  const honest = await someone.sign(required)
  return Promise.all(Array.from({ length: 600 }, () => forge(honest, 'random')))
}

const penniless =
  (network: Network, count: number) =>
  async ({ required, tellPenniless }: World): Promise<readonly string[]> => {
    const payers = await Promise.all(Array.from({ length: count }, () => createBuyer(network)))
    await tellPenniless(payers.map(({ payer }) => payer))
    return Promise.all(payers.map(async ({ sign }) => headerOf(await sign(required))))
  }

/** Solana payments with wrong signatures in the names of other accounts. */
const wronglySigned = async (world: World): Promise<readonly string[]> => {
  const buyer = await createBuyer('Solana')
  const honest = await buyer.sign(world.required)
  const transaction = Buffer.from(String(honest.payload.transaction), 'base64')
  return Array.from({ length: 600 }, () => {
    const forged = Buffer.from(transaction)
    // The transaction has two signatures, and the payer's signature begins at byte 65.
    randomBytes(64).copy(forged, 65)
    return headerOf({ ...honest, payload: { transaction: forged.toString('base64') } })
  })
}

const path = boughtPath

export const stormKinds: readonly StormKind[] = [
  { name: 'quotes of a rug check', path: keyedPath, perSecond: 200, paymentsOf: async () => null },
  { name: 'in six buyers’ names, 50/s', path, perSecond: 50, paymentsOf: named },
  { name: 'in six buyers’ names, 100/s', path, perSecond: 100, paymentsOf: named },
  { name: 'in nobody’s names, 100/s', path, perSecond: 100, paymentsOf: ofNobody },
  { name: 'wrongly signed on Solana, 100/s', path, perSecond: 100, paymentsOf: wronglySigned },
  { name: 'six penniless payers, 20/s', path, perSecond: 20, paymentsOf: penniless('EVM', 6) },
  { name: 'ever new penniless payers, 20/s', path, perSecond: 20, paymentsOf: penniless('EVM', 400) },
  { name: 'ever new penniless on Solana, 20/s', path, perSecond: 20, paymentsOf: penniless('Solana', 400) },
  { name: '250 penniless at once', path, perSecond: 50, together: 250, paymentsOf: penniless('EVM', 250) },
  {
    ...{ name: '600 penniless at once, slow facilitator', path, perSecond: 60, together: 600, answerMs: 1_000 },
    paymentsOf: penniless('Solana', 600),
  },
]
