/** Asks the node about curves whose launch ingest has not recorded. */
import { hexOfBase58 } from '../../../infra/base58.ts'
import { isOperationError } from '../../../infra/errors.ts'
import { beforeTrade } from '../../../schemas/chain-b/curve.ts'
import type { CurveFound, CurveTraded } from '../../../schemas/chain-b/facts.ts'
import type { Address } from '../../../schemas/units.ts'
import { inParallel } from '../../in-parallel.ts'
import { readCurveAccount } from '../decode/curve-account.ts'
import { curveOfMint } from '../decode/derived-addresses.ts'
import { pumpProgram } from '../decode/programs.ts'
import { inconsistent } from '../node/failures.ts'
import type { ChainBReader, NodeAccount, OldestTransaction } from '../node/reader.ts'

/** The properties of a curve that never change. A property that could not be read is null. */
export type CurveOrigin = Pick<CurveFound, 'curve' | 'creator' | 'supplyRaw' | 'launchSlot' | 'launchAtMs'>

/**
 * Returns the unchanging properties of the curve of each mint, by the mint's key. Fails only with
 * `node_unreachable`. The next call then reads only the mints that are still missing.
 */
export type CurveFinder = (mints: readonly string[], signal: AbortSignal) => Promise<ReadonlyMap<string, CurveOrigin>>

const readAtOnce = 10

export function createCurveFinder(reader: Pick<ChainBReader, 'accounts' | 'oldestOf'>): CurveFinder {
  const found = new Map<string, CurveOrigin>()
  return async (mints, signal) => {
    const left = mints.filter((mint) => !found.has(mint))
    const curves = await Promise.all(left.map(curveOfMint))
    const accounts = (await unlessRefused(() => reader.accounts(curves, signal))) ?? []
    await inParallel([...left.entries()], readAtOnce, async ([index, mint]) => {
      const curve = curves[index] ?? ''
      const oldest = await unlessRefused(() => reader.oldestOf(curve, signal))
      found.set(mint, originOf(curve, accounts[index] ?? null, oldest))
    })
    const origins = new Map(found)
    found.clear()
    return origins
  }
}

function originOf(curve: string, account: NodeAccount | null, oldest: OldestTransaction | null): CurveOrigin {
  const address: Address | null = hexOfBase58(curve, 32)
  if (address === null) throw inconsistent(`${curve} is not an address`)
  const read = account?.owner === pumpProgram ? readCurveAccount(account.bytes) : null
  return {
    curve: address,
    creator: read?.creator ?? null,
    supplyRaw: read?.supplyRaw ?? null,
    launchSlot: oldest?.slot ?? null,
    launchAtMs: oldest?.atMs ?? null,
  }
}

async function unlessRefused<Result>(read: () => Promise<Result>): Promise<Result | null> {
  try {
    return await read()
  } catch (error) {
    if (isOperationError(error, 'node_refused') || isOperationError(error, 'node_inconsistent')) return null
    throw error
  }
}

/**
 * Returns the fact `CurveFound`, which gives the state of the curve before `trade`. `trade` is the first
 * trade of the curve that ingest records.
 */
export function curveFound(origin: CurveOrigin, trade: CurveTraded): CurveFound {
  const { quoteRaw, tokenRaw } = beforeTrade(trade)
  const { quoteMint, isMayhem, blockNumber, blockAtMs, txIndex, logIndex, blockHash, txHash } = trade
  return {
    ...origin,
    virtualQuoteRaw: quoteRaw,
    virtualTokenRaw: tokenRaw,
    realQuoteRaw: trade.realQuoteRaw - trade.quoteRaw,
    realTokenRaw: trade.realTokenRaw + trade.tokenRaw,
    ...{ quoteMint, isMayhem, blockNumber, blockAtMs, txIndex, logIndex, blockHash, txHash },
  }
}
