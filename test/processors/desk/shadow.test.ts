import { expect } from 'chai'
import { endShadow, followShadow, openShadow, shadowOf } from '../../../processors/desk/shadow.ts'
import { deskRules } from '../../../schemas/desk/rules.ts'

const minute = (count: number) => count * 60_000
const signal = { signalAtMs: -3000, signal: 'call', anchorAtMs: 0, market: '0xb0' } as const
const at = (atMs: number, px: number, left = 1) => ({ atMs, px, left })
const shadowed = (moves: readonly ReturnType<typeof at>[], endedAtMs?: number) => {
  const shadow = openShadow(signal, at(-1, 100))
  for (const move of moves) followShadow(shadow, move, deskRules)
  if (endedAtMs !== undefined) endShadow(shadow, endedAtMs)
  return shadowOf(shadow, deskRules)
}

describe('the shadow of a signal', () => {
  it('has the price in force at each mark, and the highest and lowest on the way', () => {
    //  0      1m        5m            15m        60m
    //  100    110 at 1m 50 before 5m  -          200 at 60m
    const moves = [at(minute(1), 110), at(minute(5) - 1, 50), at(minute(60), 200)]
    expect(shadowed(moves)).to.deep.equal({
      ...signal,
      ...{ ret1: 110 / 100 - 1, ret5: -0.5, ret15: -0.5, ret60: 1, mfe: 1, mae: -0.5 },
    })
  })

  it('is flat without a trade', () => {
    expect(shadowed([])).to.include({ ret1: 0, ret5: 0, ret15: 0, ret60: 0, mfe: 0, mae: 0 })
  })

  it('has no return at a mark at or after the end of its market', () => {
    expect(shadowed([at(1, 120)], minute(5))).to.include({ ret1: 120 / 100 - 1, ret5: null, ret15: null, ret60: null })
    expect(shadowed([at(1, 120)], minute(5) + 1)).to.include({ ret5: 120 / 100 - 1, ret15: null })
  })

  it('ends with its market, also when that market is found again within the hour', () => {
    const shadow = openShadow(signal, at(-1, 100))
    endShadow(shadow, minute(2))
    followShadow(shadow, at(minute(3), 900), deskRules)
    expect(shadowOf(shadow, deskRules)).to.include({ ret1: 0, ret5: null, mfe: 0 })
  })

  it('stays at nothing after a rug', () => {
    expect(shadowed([at(1, 100, 0.1), at(2, 500, 0.1)])).to.include({ ret1: -1, ret60: -1, mfe: 0, mae: -1 })
  })
})
