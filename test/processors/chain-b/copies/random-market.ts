/**
 * Random trades of a mint by few wallets, with buys around the limits of the copy rules. Most of these mints
 * graduate.
 */
import { feeOf } from '../../../../schemas/chain-b/curve.ts'
import type { ChainBFact } from '../../../../schemas/chain-b/facts.ts'
import { createDraw } from '../../../replay/market/draw.ts'
import { second } from '../../../support/builders/build-facts.ts'
import {
  buildCurveCompleted,
  buildCurveLaunched,
  buildCurveMigrated,
  buildCurveTraded,
  buildKey,
  buildPoolTraded,
  late,
} from '../../../support/chain-b/build-facts.ts'

const sizes = [10_000_000n, 199_999_999n, 200_000_000n, 600_000_000n, 999_999_999n, 1_000_000_000n, 1_700_000_000n]
/** 2000 s is longer than a copy is held. */
const gapsSec = [...[0, 0, 1, 3, 10, 40, 100, 300], ...[0, 0, 1, 3, 10, 40, 100, 300], 2000]

export function randomMarket(seed: number): ChainBFact[] {
  const draw = createDraw(seed)
  const facts: ChainBFact[] = [buildCurveLaunched({ blockAtMs: second(0), blockNumber: 1 })]
  let [slot, atSec, price] = [1, 0, 100]
  const pass = (sec: number) => {
    atSec += sec
    slot += sec === 0 ? draw(3) : sec * 2
  }
  const place = () => ({ blockNumber: slot, blockAtMs: second(atSec) })
  const pick = <Item>(items: readonly Item[]): Item => items[draw(items.length)] as Item
  const terms = () => {
    const tokenRaw = BigInt(1 + draw(20)) * 10n ** 12n
    const quoteRaw = pick(sizes) * (draw(3) === 0 ? -1n : 1n)
    const size = quoteRaw < 0n ? -quoteRaw : quoteRaw
    const [feeRaw, creatorFeeRaw] = [feeOf(size, pick([95n, 100n])), feeOf(size, pick([0n, 5n, 30n]))]
    price = Math.max(5, price * (0.8 + draw(45) / 100))
    return {
      trader: buildKey(0x51 + draw(6)),
      quoteRaw,
      tokenRaw: quoteRaw < 0n ? -tokenRaw : tokenRaw,
      feeRaw,
      creatorFeeRaw,
    }
  }
  const reserve = () => BigInt(Math.round(price * 400_000_000))
  const tokens = 10n ** 15n
  const trades = (count: number, build: () => ChainBFact) => {
    for (let index = 0; index < count; index++) {
      pass(pick(gapsSec))
      facts.push(build())
    }
  }
  trades(30 + draw(120), () => {
    const trade = buildCurveTraded({
      ...terms(),
      ...place(),
      ...{ virtualQuoteRaw: reserve(), virtualTokenRaw: tokens, realTokenRaw: BigInt(1 + draw(5) ** 4) * 10n ** 12n },
    })
    return draw(20) === 0 ? late(trade) : trade
  })
  if (draw(5) === 0) return facts
  const last = { ...terms(), ...place(), quoteRaw: 1_200_000_000n, tokenRaw: 7n * 10n ** 12n }
  facts.push(
    buildCurveTraded({ ...last, virtualQuoteRaw: reserve(), virtualTokenRaw: tokens, realTokenRaw: 10n ** 6n }),
  )
  pass(draw(2) * draw(4))
  if (draw(4) > 0) facts.push(buildCurveCompleted(place()))
  pass(pick([0, 1, 20, 280, 2400, 2400]))
  facts.push(buildCurveMigrated({ ...place(), poolQuoteRaw: reserve(), poolTokenRaw: tokens }))
  trades(10 + draw(60), () => {
    const its = { ...terms(), lpFeeRaw: 20_000n, isBeforeMigration: draw(20) === 0 }
    return buildPoolTraded({ ...its, ...place(), poolQuoteRaw: reserve(), poolTokenRaw: tokens })
  })
  return facts
}
