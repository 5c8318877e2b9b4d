/** The prices, posts and buys that facts tell of, as rows: coin per raw token unit, from the chains' own formulas. */
import type { ChainARecord } from '../../../schemas/chain-a/facts.ts'
import type { ChainBRecord } from '../../../schemas/chain-b/facts.ts'
import type { Place, Rows } from './load-facts.ts'

type Taken = Readonly<{ type: string; data: object }>
type OfA<Type extends ChainARecord['type']> = Extract<ChainARecord, { type: Type }>['data']
type OfB<Type extends ChainBRecord['type']> = Extract<ChainBRecord, { type: Type }>['data']

const tickLimit = 887272

/** Takes the records of a partition in their order. */
export function readsOfPrices(rows: Rows): (place: Place, record: Taken) => void {
  /** Of pools of chain A: whether the coin is the first of the two. */
  const isCoinFirst = new Map<string, boolean>()
  const hookOf = new Map<string, string | null>()
  const curves = new Map<string, { phantom: bigint; supply: bigint; reserve: bigint }>()
  const price = ({ chain, token, ord }: Place, at: number, px: number) =>
    rows.proof_prices.push([chain, token, at, ord, px])
  const born = ({ chain, token }: Place, at: number) => rows.proof_births.push([chain, token, at])
  const poolPrice = (place: Place, { pool, at, sqrt }: Readonly<{ pool: string; at: number; sqrt: bigint }>) => {
    const quotient = (Number(sqrt) / 2 ** 96) ** 2
    price(place, at, (isCoinFirst.get(pool) ? 1 / quotient : quotient) / 1e18)
  }
  const curvePrice = (place: Place, at: number, curve: string) => {
    const known = curves.get(curve)
    if (known === undefined) return
    const coin = Number(known.phantom + known.reserve) / 1e18
    const tokens = (Number(known.phantom) / 1e18) * (Number(known.supply) / coin)
    price(place, at, coin / tokens)
  }
  const buy = (
    place: Place,
    at: number,
    of: Readonly<{ block: number; wei: bigint; tx: string; trader: string | null }>,
  ) => rows.proof_buys.push([place.token, at, place.ord, of.block, Number(of.wei) / 1e18, of.tx, of.trader])

  const ofChainA: Readonly<Record<string, (place: Place, data: never) => void>> = {
    PoolCreated(place, { pool, hooks, blockAtMs: at, ethIsCurrency0, sqrtPriceX96: sqrt }: OfA<'PoolCreated'>) {
      hookOf.set(pool, hooks)
      isCoinFirst.set(pool, ethIsCurrency0)
      born(place, at)
      if (sqrt !== null) poolPrice(place, { pool, at, sqrt })
    },
    PoolInitialized: (place, { pool, blockAtMs: at, sqrtPriceX96: sqrt }: OfA<'PoolInitialized'>) =>
      poolPrice(place, { pool, at, sqrt }),
    Swap(place, { pool, sender, blockAtMs: at, sqrtPriceX96: sqrt, ethWei, tokenRaw, tick, ...swap }: OfA<'Swap'>) {
      // Swaps without an amount, at the ends of the price, and of the pool’s own hook do not count.
      if (ethWei === 0n || tokenRaw === 0n || Math.abs(tick) >= tickLimit || sender === hookOf.get(pool)) return
      poolPrice(place, { pool, at, sqrt })
      if (ethWei > 0n) buy(place, at, { block: swap.blockNumber, wei: ethWei, tx: swap.txHash, trader: null })
    },
    CurveLaunched(place, { curve, blockAtMs, phantomWei, supplyRaw }: OfA<'CurveLaunched'>) {
      curves.set(curve, { phantom: phantomWei, supply: supplyRaw, reserve: 0n })
      born(place, blockAtMs)
      curvePrice(place, blockAtMs, curve)
    },
    CurveTraded(place, { curve, blockAtMs, blockNumber, txHash, trader, ...trade }: OfA<'CurveTraded'>) {
      const known = curves.get(curve)
      if (known) known.reserve += trade.ethWei - trade.feeWei - trade.taxWei
      curvePrice(place, blockAtMs, curve)
      if (trade.ethWei > 0n) buy(place, blockAtMs, { block: blockNumber, wei: trade.ethWei, tx: txHash, trader })
    },
    SendersAnswered(_, { senders }: OfA<'SendersAnswered'>) {
      for (const { txHash, sender } of senders ?? []) rows.proof_senders.push([txHash, sender])
    },
  }
  const quotient = (quote: bigint, tokens: bigint) => Number(quote) / 1e9 / Number(tokens)
  const ofChainB: Readonly<Record<string, (place: Place, data: never) => void>> = {
    CurveLaunched(place, { blockAtMs, virtualQuoteRaw, virtualTokenRaw }: OfB<'CurveLaunched'>) {
      born(place, blockAtMs)
      price(place, blockAtMs, quotient(virtualQuoteRaw, virtualTokenRaw))
    },
    CurveTraded: (place, { blockAtMs, virtualQuoteRaw, virtualTokenRaw }: OfB<'CurveTraded'>) =>
      price(place, blockAtMs, quotient(virtualQuoteRaw, virtualTokenRaw)),
    CurveMigrated: (place, { blockAtMs, poolQuoteRaw, poolTokenRaw }: OfB<'CurveMigrated'>) =>
      price(place, blockAtMs, quotient(poolQuoteRaw, poolTokenRaw)),
    PoolTraded(place, { blockAtMs, poolQuoteRaw, poolTokenRaw, isBeforeMigration }: OfB<'PoolTraded'>) {
      if (!isBeforeMigration) price(place, blockAtMs, quotient(poolQuoteRaw, poolTokenRaw))
    },
  }
  const ofBoth: Readonly<Record<string, (place: Place, data: never) => void>> = {
    Mentioned({ chain, token, ord, next }, data: OfA<'Mentioned'>) {
      const { chat, post, chatName, poster, kind, postedAtMs, tokenCount } = data
      rows.proof_mentions.push([chain, token, ord, chat, post, chatName, poster, kind, postedAtMs, tokenCount, next])
    },
    PriceAnswered({ chain, token, known }, { questionId, price: found }: OfA<'PriceAnswered'>) {
      const at = Number(questionId.slice(questionId.lastIndexOf(':') + 1))
      rows.proof_answers.push([chain, token, at, found?.px ?? null, found?.change1h ?? null, known])
    },
  }
  return (place, { type, data }) => {
    const take = ofBoth[type] ?? (place.chain === 'chain-a' ? ofChainA : ofChainB)[type]
    take?.(place, data as never)
  }
}
