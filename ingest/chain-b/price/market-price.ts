/** Reads the price of a mint from the configured node. The price is in SOL per raw token unit. */
import { base58OfHex, hexOfBase58 } from '../../../infra/base58.ts'
import { OperationError } from '../../../infra/errors.ts'
import { lamportsPerSol } from '../../../schemas/chain-b/units.ts'
import type { QuoteRaw, TokenRaw } from '../../../schemas/units.ts'
import { type FoundPrice, type MarketReader, noPrice, type PriceSource } from '../../prices/price-source.ts'
import { readCurveAccount } from '../decode/curve-account.ts'
import { canonicalPoolOf, curveOfMint } from '../decode/derived-addresses.ts'
import { type PoolAccount, readPoolAccount } from '../decode/pool-account.ts'
import { pumpProgram, pumpSwapProgram } from '../decode/programs.ts'
import { readTokenAccount } from '../decode/token-account.ts'
import { inconsistent } from '../node/failures.ts'
import type { ChainBReader, NodeAccount } from '../node/reader.ts'

type Accounts = Pick<ChainBReader, 'account' | 'accounts'>

/**
 * Creates the reader of the price of a curve or pool that the service no longer tracks. `market` is the curve
 * or pool in which the token was last traded. If the curve has been completed since then, the price comes
 * from the curve's pool.
 */
export const createMarketReader =
  (accounts: Accounts): MarketReader =>
  async ({ token, market }, signal) => {
    const address = base58OfHex(market)
    const known = address === (await curveOfMint(token)) || address === (await canonicalPoolOf(token))
    if (!known) throw inconsistent('the market is neither the curve nor the pool of the mint')
    const account = await accounts.account(address, signal)
    const curve = account?.owner === pumpProgram ? readCurveAccount(account.bytes) : null
    if (curve === null) return await poolPrice(accounts, { token, account }, signal)
    if (!curve.isComplete) {
      if (curve.quoteMint !== null) throw noPrice('the curve trades against another coin than SOL')
      return priceOf(curve.virtualQuoteRaw, curve.virtualTokenRaw, 'curve')
    }
    const pool = await accounts.account(await canonicalPoolOf(token), signal)
    return await poolPrice(accounts, { token, account: pool }, signal)
  }

type MintPool = Readonly<{ token: string; account: NodeAccount | null }>

function poolIn({ token, account }: MintPool): PoolAccount | null {
  const pool = account?.owner === pumpSwapProgram ? readPoolAccount(account.bytes) : null
  return pool?.baseMint === hexOfBase58(token, 32) ? pool : null
}

async function poolPrice(accounts: Accounts, read: MintPool, signal: AbortSignal): Promise<FoundPrice> {
  const pool = poolIn(read)
  if (pool === null) throw noPrice('the mint has no pool')
  if (pool.quoteMint !== null) throw noPrice('the pool trades against another coin than SOL')
  const held = await accounts.accounts([pool.baseAccount, pool.quoteAccount].map(base58OfHex), signal)
  const [base, quote] = held.map((each) => each && readTokenAccount(each))
  if (!base || !quote || base.mint !== pool.baseMint) throw inconsistent('the accounts of the pool could not be read')
  return priceOf(quote.tokenRaw + pool.virtualQuoteRaw, base.tokenRaw, 'pool')
}

/**
 * Creates the reader of the price of a mint whose curve or pool is not known. The price comes from the pool
 * into which the mint's curve migrates, or else from an aggregator (a service that reports token prices). If
 * the node fails, the aggregator is not asked, because its prices are in USD. After a price in USD, the mint
 * would never get a price from the node again.
 */
export const createMintPrice =
  (accounts: Accounts, aggregator: PriceSource | null): PriceSource =>
  async (question, signal) => {
    const { token, isInUsd } = question
    if (!isInUsd) {
      const account = await accounts.account(await canonicalPoolOf(token), signal)
      if (poolIn({ token, account }) !== null) return await poolPrice(accounts, { token, account }, signal)
    }
    if (aggregator === null)
      throw new OperationError('node_refused', 'no price aggregator is configured (PRICE_AGGREGATOR_URL)')
    return await aggregator(question, signal)
  }

function priceOf(quoteRaw: QuoteRaw, tokenRaw: TokenRaw, source: 'curve' | 'pool'): FoundPrice {
  if (quoteRaw <= 0n || tokenRaw <= 0n) throw noPrice('the market is empty')
  return { px: Number(quoteRaw) / lamportsPerSol / Number(tokenRaw), source, mcapUsd: null, change1h: null }
}
