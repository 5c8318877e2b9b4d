/**
 * Buys with the client for buyers through a proxy that cuts every first answer after its settlement. Each purchase
 * must get its answer and make one transfer, also if the buyer's process is started again in between.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { createKeyPairSignerFromBytes, getBase58Encoder } from '@solana/kit'
import { privateKeyToAccount } from 'viem/accounts'
import type { Bought } from '../../../../api/client/answer.ts'
import { type LaunchDataClient, openLaunchDataClient } from '../../../../api/client/client.ts'
import type { BuyerWallet } from '../../../../api/client/wallet.ts'
import type { LocalPayments } from '../../../../infra/development/payments/start-local-payments.ts'
import { isOperationError } from '../../../../infra/errors.ts'
import { createRandom } from '../../../../ingest/simulated/random.ts'
import { startCutProxy } from './cut-proxy.ts'

/** The buyer on one network. `earned`: the balance of the seller, in millionths of a dollar. */
export type Market = Readonly<{ name: string; wallet: BuyerWallet; earned: () => Promise<bigint> }>

export async function marketsOf({ buyerPrivateKey, payTo, usdcBalanceOf, solana }: LocalPayments) {
  const signer = privateKeyToAccount(buyerPrivateKey)
  const evm: Market = { name: 'EVM', wallet: { network: 'evm', signer }, earned: () => usdcBalanceOf(payTo) }
  if (solana === null) return [evm]
  const { rpcUrl } = solana
  const key = await createKeyPairSignerFromBytes(getBase58Encoder().encode(solana.buyerPrivateKey))
  const wallet: BuyerWallet = { network: 'solana', signer: key, rpcUrl }
  return [evm, { name: 'Solana', wallet, earned: () => solana.usdcBalanceOf(solana.payTo) }]
}

const priceUsdMicros = 10_000n
const path = '/v1/rh/bursts/live'
/** The share of purchases after whose first cut the buyer is started again. */
const restartRatio = 0.2
/** The client's pauses are shortened, because nothing is busy here. */
const pauseMsMax = 20

export type CutPurchases = Readonly<{
  /** One sentence for each thing that went wrong. */
  wrong: readonly string[]
  /** What was counted, in words. */
  text: string
}>

type Case = Readonly<{ serviceUrl: string; market: Market; count: number; seed: number }>

export async function cutPurchases({ serviceUrl, market, count, seed }: Case): Promise<CutPurchases> {
  const random = createRandom(seed)
  const folder = await mkdtemp(join(tmpdir(), 'cut-purchases-'))
  const proxy = await startCutProxy(serviceUrl, random)
  const earnedBefore = await market.earned()
  const open = (attemptsMax: number) =>
    openLaunchDataClient({
      ...{ baseUrl: proxy.url, wallet: market.wallet, limits: { perCallUsdc: 0.01, perDayUsdc: 100 }, attemptsMax },
      spending: { file: join(folder, 'spending.json') },
      world: {
        ...{ nowMs: Date.now, random: Math.random },
        sleep: async (durationMs) => void (await wait(Math.min(durationMs, pauseMsMax))),
      },
    })
  const tally = { answers: 0, restarts: 0 }
  const transactions = new Set<string>()
  const wrong: string[] = []
  try {
    for (let turn = 0; turn < count; turn++) {
      const isRestarted = random.chance(restartRatio)
      const bought = await (isRestarted ? buyAcrossRestart(open) : buy(open)).catch((error: unknown) => {
        wrong.push(`purchase ${turn}: ${String(error)}`)
        return null
      })
      if (bought === null) continue
      tally.answers += 1
      if (isRestarted) tally.restarts += 1
      transactions.add(bought.receipt?.transaction ?? '')
    }
    const client = await open(1)
    const { settledUsdc, atRiskUsdc } = client.spent()
    const openCount = client.open().length
    await client.close()
    const transfers = Number((await market.earned()) - earnedBefore) / Number(priceUsdMicros)
    if (transfers !== count) wrong.push(`${transfers} transfers for ${count} purchases`)
    if (transactions.size !== tally.answers)
      wrong.push(`${transactions.size} transactions for ${tally.answers} answers`)
    if (openCount > 0) wrong.push(`${openCount} purchases without an answer`)
    if (Math.round(settledUsdc * 100) !== count || atRiskUsdc !== 0)
      wrong.push(`the client counts ${settledUsdc} USDC, and ${atRiskUsdc} at risk`)
    const cuts = Object.entries(proxy.cuts)
    const cutCount = cuts.reduce((sum, [, each]) => sum + each, 0)
    const byMoment = cuts.map(([moment, each]) => `${moment} ${each}`).join(', ')
    const text = `${count} purchases, ${cutCount} answers cut after settlement (${byMoment}), ${proxy.paid.count} paid requests, ${tally.restarts} restarts of the buyer: ${tally.answers} answers, ${transfers} transfers, ${settledUsdc} USDC counted`
    return { wrong, text: `${market.name}: ${text}` }
  } finally {
    proxy.stop()
    await rm(folder, { recursive: true })
  }
}

type Open = (attemptsMax: number) => Promise<LaunchDataClient>

async function buy(open: Open): Promise<Bought<unknown>> {
  const client = await open(20)
  try {
    return await client.get(path)
  } finally {
    await client.close()
  }
}

/** The first client gives up after one cut answer. The next one reads the purchase from the file. */
async function buyAcrossRestart(open: Open): Promise<Bought<unknown>> {
  const first = await open(1)
  const failure = await first.get(path).catch((error: unknown) => error)
  await first.close()
  if (!isOperationError(failure, 'purchase_open')) throw new TypeError(`no open purchase but ${String(failure)}`)
  const next = await open(20)
  try {
    return await next.resume(String(failure.context.purchase))
  } finally {
    await next.close()
  }
}
