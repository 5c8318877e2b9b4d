import { expect } from 'chai'
import { followSwap, openWatch, scoreWatch, scoringOf } from '../../../../processors/chain-a/outcomes/outcome.ts'
import type { Burst, BurstOutcome } from '../../../../schemas/chain-a/derived.ts'
import { chainANumbers } from '../../../../schemas/chain-a/numbers.ts'
import { second, testPool, weiOf } from '../../../support/builders/build-facts.ts'

/**
 * The seconds after the signal, the price, and ETH or wei. The price of the signal is 1. A negative amount is
 * a sell.
 */
type Trade = readonly [number, number, (number | bigint)?]

const scoring = scoringOf(chainANumbers.outcomes)
const signalAtMs = second(1000)

function score(...trades: readonly Trade[]): BurstOutcome {
  const watch = openWatch({ pool: testPool, tier: 'main', atMs: signalAtMs, px: 1 } as Burst, scoring)
  for (const [sec, px, eth = 0.01] of trades)
    followSwap(
      watch,
      { atMs: signalAtMs + sec * 1000, px, ethWei: typeof eth === 'bigint' ? eth : weiOf(eth) },
      scoring,
    )
  return scoreWatch(watch, scoring)
}

/**
 * Shows an exit as a text. `stop@12 0.80` is the reason, the seconds after the signal, and the exit price. A
 * `-` instead of seconds means held to the end.
 */
function exitOf(outcome: BurstOutcome, rule: string): string {
  const exit = outcome.exits.find((some) => some.rule === rule)
  if (!exit) return expect.fail(`no rule ${rule}`)
  return `${exit.why}@${exit.sec ?? '-'} ${(exit.ret + 1.02).toFixed(2)}`
}

describe('outcomes', () => {
  it('list every exit rule in the order of the rules’ text', () => {
    expect(score().exits.map(({ rule }) => rule)).to.deep.equal([
      'live',
      'hold',
      'fade',
      'stall',
      'take-profit-50',
      'take-profit-100',
      'trail-20',
      'time-5m',
      'time-10m',
    ])
  })

  it('without a swap are the costs alone', () => {
    const outcome = score()
    expect([outcome.ret30m, outcome.peakRet, outcome.ruleRet]).to.deep.equal([-0.02, -0.02, -0.02])
    expect(exitOf(outcome, 'live')).to.equal('burst_stall@60 1.00')
    expect(exitOf(outcome, 'hold')).to.equal('held@- 1.00')
    expect(exitOf(outcome, 'time-10m')).to.equal('time@600 1.00')
  })

  it('hold to the end, see the peak, and take the costs off from the left', () => {
    const outcome = score([10, 3.7], [20, 1.3])
    expect(outcome.ret30m).to.equal(1.3 / 1 - 1 - 0.02)
    expect(outcome.peakRet).to.equal(3.7 / 1 - 1 - 0.02)
  })

  it('count the signal price as a peak when all went down', () => expect(score([10, 0.9]).peakRet).to.equal(-0.02))

  it('give the live rule’s return as ruleRet', () => {
    const outcome = score([30, 1.2], [70, 1.1], [100, 1.4])
    expect(exitOf(outcome, 'live')).to.equal('burst_stall@90 1.10')
    expect(outcome.ruleRet).to.be.closeTo(0.08, 1e-12)
  })

  it('are no rug for a fall in price alone', () => expect(score([5, 0.001]).rug).to.equal(null))
})

describe('the stop', () => {
  it('is reached at exactly -15 %', () => {
    expect(exitOf(score([10, 0.85]), 'hold')).to.equal('stop@10 0.85')
    expect(exitOf(score([10, 0.8501]), 'hold')).to.equal('held@- 0.85')
  })

  it('leaves at the price of the swap that crossed it, however deep the gap', () => {
    const outcome = score([10, 0.3], [20, 1.5])
    for (const { rule } of outcome.exits) expect(exitOf(outcome, rule)).to.equal('stop@10 0.30')
    expect(outcome.ret30m).to.be.closeTo(0.48, 1e-12)
  })

  it('goes before the rule’s own exit at the same swap', () => {
    expect(exitOf(score([10, 0.85, -0.6]), 'fade')).to.equal('stop@10 0.85')
  })

  it('comes after an exit by time that ran out before the swap', () => {
    const outcome = score([50, 0.95], [61, 0.5])
    expect(exitOf(outcome, 'stall')).to.equal('burst_stall@60 0.95')
    expect(exitOf(outcome, 'hold')).to.equal('stop@61 0.50')
  })

  it('spares a rule that has left', () => {
    const outcome = score([10, 1.5], [20, 0.5])
    expect(exitOf(outcome, 'take-profit-50')).to.equal('take_profit@10 1.50')
    expect(exitOf(outcome, 'take-profit-100')).to.equal('stop@20 0.50')
  })
})

describe('the fade', () => {
  it('is reached at exactly 0.5 ETH below the high-water mark', () => {
    expect(exitOf(score([1, 1, 0.3], [2, 0.9, -0.5]), 'fade')).to.equal('burst_fade@2 0.90')
    expect(exitOf(score([1, 1, 0.3], [2, 0.9, -0.499999999]), 'fade')).to.equal('held@- 0.90')
  })

  it('counts from zero: selling alone fades too', () => {
    expect(exitOf(score([1, 0.95, -0.25], [2, 0.9, -0.25]), 'fade')).to.equal('burst_fade@2 0.90')
    expect(exitOf(score([1, 0.95, 1n - weiOf(0.5)]), 'fade')).to.equal('held@- 0.95')
  })

  it('forgives what was bought back', () => {
    expect(exitOf(score([1, 1, -0.4], [2, 1, 0.3], [3, 1, -0.3]), 'fade')).to.equal('held@- 1.00')
  })

  it('beats the stall at a swap exactly when the stall is due', () => {
    expect(exitOf(score([60, 0.9, -0.5]), 'live')).to.equal('burst_fade@60 0.90')
  })
})

describe('the stall', () => {
  const cases: readonly [string, Trade[], string][] = [
    ['has not run out at a swap exactly 60 s on', [[60, 1.1]], 'burst_stall@120 1.10'],
    ['has run out at a swap just after', [[60.001, 1.1]], 'burst_stall@60 1.00'],
    [
      'leaves at the last price before the instant',
      [
        [30, 0.9],
        [60, 0.95],
        [61, 2],
      ],
      'burst_stall@60 0.95',
    ],
    [
      'wants a price above the high: an equal one does not help',
      [
        [30, 1.1],
        [60, 1.1],
        [91, 1.2],
      ],
      'burst_stall@90 1.10',
    ],
    [
      'starts anew at every high',
      [
        [50, 1.1],
        [100, 1.2],
        [150, 1.3],
      ],
      'burst_stall@210 1.30',
    ],
  ]
  for (const [name, trades, expected] of cases)
    it(name, () => expect(exitOf(score(...trades), 'stall')).to.equal(expected))

  it('counts whole seconds', () => expect(exitOf(score([0.9, 1.1]), 'stall')).to.equal('burst_stall@60 1.10'))

  it('has run out when it is due exactly at the end, and is held when due later', () => {
    const climb = Array.from({ length: 29 }, (_, minute): Trade => [60 * (minute + 1), 1 + (minute + 1) / 100])
    expect(exitOf(score(...climb), 'stall')).to.equal('burst_stall@1800 1.29')
    expect(exitOf(score(...climb, [1740.001, 1.4]), 'stall')).to.equal('held@- 1.40')
  })
})

describe('the other exit rules', () => {
  it('take profit at exactly their price, at the swap’s price beyond it', () => {
    expect(exitOf(score([5, 1.4999], [6, 1.5]), 'take-profit-50')).to.equal('take_profit@6 1.50')
    expect(exitOf(score([5, 2.4]), 'take-profit-100')).to.equal('take_profit@5 2.40')
  })

  it('trail exactly 20 % below the highest price, the stop permitting', () => {
    expect(exitOf(score([5, 2], [6, 1.6]), 'trail-20')).to.equal('trail@6 1.60')
    expect(exitOf(score([5, 2], [6, 1.61]), 'trail-20')).to.equal('held@- 1.61')
    expect(exitOf(score([5, 0.8]), 'trail-20')).to.equal('stop@5 0.80')
  })

  it('leave in time at the last price, a swap exactly at the instant included', () => {
    expect(exitOf(score([299, 1.1], [300, 1.2], [300.001, 1.3]), 'time-5m')).to.equal('time@300 1.20')
    expect(exitOf(score([299, 1.1], [300, 1.2], [301, 1.3]), 'time-10m')).to.equal('time@600 1.30')
  })
})
