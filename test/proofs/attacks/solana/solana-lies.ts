/**
 * Tests lies of a Solana facilitator and of its node, with the real payment gate and a local chain. If the
 * gate sells an answer because of a lie, its later check of the chain finds the missing payment. Afterwards
 * the gate sells nothing through this facilitator. No buyer is charged twice.
 */
import type { PaymentPayload } from '@x402/core/types'
import { createHttpFacilitator } from '../../../../api/payments/facilitator/http-facilitator.ts'
import { startLocalPayments } from '../../../../infra/development/payments/start-local-payments.ts'
import { startLyingNode } from '../nodes/lying-node.ts'
import { type NodeLie, nodeLies, type SettleLie, settledLies, settleLies } from './solana-lie-kinds.ts'
import { openSolanaShop, type SolanaShop } from './solana-shop.ts'

export type Told = Readonly<{
  name: string
  /**
   * The number of answers that the shop gave while the facilitator or node lied. Two payments were each sent
   * twice.
   */
  sold: number
  /** The number of charged payments. */
  charged: number
  /** The number of settlements that the shop could not find on the chain. */
  noticed: number
  /** The outcome of a purchase after the lie. */
  afterwards: string
  isGood: boolean
}>

const priceMicros = 10_000n
const paymentCount = 2
const minuteMs = 60_000
/**
 * The minutes within which a lie must be noticed. A blockhash expires after two minutes. Then the transfer
 * must be missing in two checks.
 */
const minutesToNotice = 6
/**
 * The number of minutes in which the node answers with nonsense, in the lies that combine it with a lying
 * facilitator.
 */
const minutesOfNonsense = 4

type World = Awaited<ReturnType<typeof openWorld>>

async function openWorld() {
  const money = await startLocalPayments()
  if (money.solana === null) throw new TypeError('the local Solana chain did not start')
  const { solana } = money
  await solana.fund(solana.buyer)
  const facilitator = createHttpFacilitator({ url: money.facilitatorUrl })
  return { solana, facilitator, stop: () => money.stop(), clock: { aheadMs: 0 } }
}

/** `isSettled`: the lie is about a real settlement, so the buyer is charged and must get the answer in the end. */
type Lie = Readonly<{ name: string; settle: SettleLie | null; node: NodeLie | null; isSettled?: boolean }>

const lies: readonly Lie[] = [
  ...Object.entries(settleLies).map(([name, settle]) => ({ name, settle, node: null })),
  ...Object.entries(settleLies).map(([name, settle]) => ({
    ...{ name: `${name}, and a node with nonsense`, settle },
    node: nodeLies['numbers for everything'] ?? null,
  })),
  ...Object.entries(settledLies).map(([name, settle]) => ({ name, settle, node: null, isSettled: true })),
  ...Object.entries(nodeLies).map(([name, node]) => ({ name: `the node: ${name}`, settle: null, node })),
]

async function tell(world: World, { name, settle, node, isSettled = settle === null }: Lie): Promise<Told> {
  const { solana } = world
  let nodeLie: NodeLie | null = settle === null ? node : null
  const lyingNode = await startLyingNode(solana.rpcUrl, () => nodeLie)
  const shop = await openSolanaShop(world, lyingNode.url, settle)
  const before = await solana.usdcBalanceOf(solana.payTo)
  try {
    const payments = await signSome(shop)
    let sold = 0
    for (const payment of [...payments, ...payments]) if ((await shop.pay(payment)) === 'paid') sold += 1
    for (let minute = 0; minute < minutesToNotice + minutesOfNonsense; minute++) {
      nodeLie = minute < minutesOfNonsense || settle === null ? node : null
      await shop.pass(minuteMs)
    }
    const { missing } = shop.settlements()
    const again = await Promise.all(payments.map(shop.pay))
    const moved = (await solana.usdcBalanceOf(solana.payTo)) - before - shop.movedOtherwise()
    const afterwards = await shop.buy()
    const charged = Number(moved / priceMicros)
    const isGood = isSettled
      ? charged <= paymentCount && (charged === 0 || again.every((kind) => kind === 'paid'))
      : charged === 0 && isCaught({ sold, missing, afterwards })
    return { name, sold, charged, noticed: missing, afterwards, isGood }
  } finally {
    await shop.close()
    await lyingNode.stop()
  }
}

/** Returns true if nothing was sold, or if the false settlement was found and the next purchase failed. */
const isCaught = ({ sold, missing, afterwards }: Readonly<{ sold: number; missing: number; afterwards: string }>) =>
  sold === 0 || (missing > 0 && afterwards !== 'paid')

async function signSome(shop: SolanaShop): Promise<readonly PaymentPayload[]> {
  const payments: PaymentPayload[] = []
  for (let count = 0; count < paymentCount; count++) payments.push(await shop.sign())
  return payments
}

export async function tellSolanaLies(only: (name: string) => boolean = () => true): Promise<readonly Told[]> {
  const world = await openWorld()
  const told: Told[] = []
  try {
    for (const lie of lies.filter(({ name }) => only(name))) told.push(await tell(world, lie))
    return told
  } finally {
    await world.stop()
  }
}

/** Returns false if a lie was not noticed, something was sold after a lie, or a buyer was charged twice. */
export async function attackBySolanaLies(): Promise<boolean> {
  const told = await tellSolanaLies()
  for (const { name, sold, charged, noticed, afterwards, isGood } of told)
    console.log(
      `${isGood ? '' : 'HURT '}${name}: ${sold} answers, ${charged} of 2 charged, ${noticed} noticed, then ${afterwards}`,
    )
  console.log(`${told.filter(({ isGood }) => isGood).length} of ${told.length} lies hurt nobody twice`)
  return told.every(({ isGood }) => isGood)
}
