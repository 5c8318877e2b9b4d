import { expect } from 'chai'
import fc from 'fast-check'
import { compareRuns, movedMsMax } from '../../../processors/backtest/comparison.ts'
import { textOfComparison } from '../../../processors/backtest/comparison-text.ts'
import { distributionOf } from '../../../processors/backtest/distribution.ts'
import { fits, parseWhere } from '../../../processors/backtest/where.ts'
import type { ComparedKind, Signal } from '../../../processors/signals.ts'

const minuteMs = 60_000
const kinds: readonly ComparedKind[] = [
  {
    ...{ name: 'bursts', signal: 'Burst', outcome: 'BurstOutcome' },
    ...{ knownBy: { type: 'Burst', factRow: null }, groupOf: () => 'main' },
    returns: [{ name: 'ret', of: () => null, costs: 0.02 }],
    lookups: [
      {
        ...{ name: 'buyers', record: 'BurstBuyers', isEmpty: () => false },
        fields: { buyers: { values: null, of: () => null }, lp: { values: ['safe', 'held'], of: () => null } },
      },
    ],
  },
]
const spans = [{ name: 'all', fromMs: 0, toMs: 100 * minuteMs }]
const whole = { spans, where: [] }

/** `at`: minutes. */
function signal(token: string, at: number, other: Partial<Signal> = {}): Signal {
  const atMs = at * minuteMs
  const id = `bursts ${token} pool ${atMs}`
  const source = `${token} pool`
  const known = { atMs, knownAtMs: atMs, returns: null, lacks: [], values: {} }
  return { id, kind: 'bursts', group: 'main', token, source, ...known, ...other }
}

const spanOf = (recorded: readonly Signal[], replayed: readonly Signal[]) =>
  compareRuns({ recorded, replayed }, kinds, whole)[0]?.spans[0]

describe('two runs of a stage over the same facts', () => {
  // minutes        10        20        30
  for (const [what, recorded, replayed, expected] of [
    ['nothing in the first', [], [signal('a', 10)], { same: 0, moved: 0, gained: 1, lost: 0 }],
    ['nothing in the second', [signal('a', 10)], [], { same: 0, moved: 0, gained: 0, lost: 1 }],
    ['the same signal', [signal('a', 10)], [signal('a', 10)], { same: 1, moved: 0, gained: 0, lost: 0 }],
    ['one that comes earlier', [signal('a', 10)], [signal('a', 9)], { same: 0, moved: 1, gained: 0, lost: 0 }],
    ['one just near enough', [signal('a', 20)], [signal('a', 10)], { same: 0, moved: 1, gained: 0, lost: 0 }],
    ['one too far', [signal('a', 20.1)], [signal('a', 10)], { same: 0, moved: 0, gained: 1, lost: 1 }],
    ['another token', [signal('a', 10)], [signal('b', 10)], { same: 0, moved: 0, gained: 1, lost: 1 }],
    [
      'the nearer of two',
      [signal('a', 20), signal('a', 28)],
      [signal('a', 21), signal('a', 27)],
      { same: 0, moved: 2, gained: 0, lost: 0 },
    ],
    ['one for two', [signal('a', 20), signal('a', 22)], [signal('a', 21)], { same: 0, moved: 1, gained: 0, lost: 1 }],
    [
      'an equal one, which no other takes',
      [signal('a', 20), signal('a', 21)],
      [signal('a', 21)],
      { same: 1, moved: 0, gained: 0, lost: 1 },
    ],
  ] as const)
    it(`tell gained, lost, same and moved: ${what}`, () => {
      expect(spanOf(recorded, replayed)).to.include(expected)
    })

  it('count each signal exactly once', () => {
    const signals = fc.uniqueArray(fc.tuple(fc.constantFrom('a', 'b'), fc.integer({ min: 0, max: 60 })), {
      selector: ([token, at]) => `${token} ${at}`,
    })
    fc.assert(
      fc.property(signals, signals, (left, right) => {
        const of = (list: typeof left) => list.map(([token, at]) => signal(token, at))
        const span = spanOf(of(left), of(right))
        if (!span) return left.length + right.length === 0
        expect(span.same + span.moved + span.gained).to.equal(right.length)
        expect(span.same + span.moved + span.lost).to.equal(left.length)
        return true
      }),
    )
  })

  it('are told apart by group, and split in time', () => {
    const recorded = [signal('a', 10), signal('a', 60), signal('b', 10, { group: 'lite' })]
    const split = [
      { name: 'in sample', fromMs: 0, toMs: 60 * minuteMs },
      { name: 'out of sample', fromMs: 60 * minuteMs, toMs: 100 * minuteMs },
    ]
    const compared = compareRuns({ recorded, replayed: [] }, kinds, { spans: split, where: [] })
    expect(compared.map(({ group }) => group)).to.deep.equal(['lite', 'main'])
    expect(compared.map(({ spans: of }) => of.map((span) => span.recorded))).to.deep.equal([
      [1, 0],
      [1, 1],
    ])
  })

  it('say which share of signals nobody was asked about', () => {
    const replayed = [signal('a', 10, { lacks: ['buyers'] }), signal('b', 10), signal('c', 10), signal('d', 10)]
    const compared = compareRuns({ recorded: [], replayed }, kinds, whole)
    expect(compared[0]?.lookups).to.deep.equal([{ name: 'buyers', replayedLack: 0.25, recordedLack: null }])
    expect(textOfComparison(compared)).to.include('buyers: 25.0 % of the signals with these rules have no answer')
  })

  describe('under conditions', () => {
    const where = parseWhere('lp=safe', kinds)
    const valuesOf = (lp: string | null) => ({ values: { lp }, ...(lp === null && { lacks: ['buyers'] }) })
    const compared = (recorded: readonly Signal[], replayed: readonly Signal[]) =>
      compareRuns({ recorded, replayed }, kinds, { spans, where })
    const many = (count: number) =>
      Array.from({ length: count }, (_, index) => signal(`t${index}`, 10, valuesOf('safe')))

    it('leave out what does not fit', () => {
      const [group] = compared(
        [signal('a', 10, valuesOf('safe')), signal('b', 10, valuesOf('held'))],
        [signal('c', 10, valuesOf('held'))],
      )
      expect(group?.spans[0]).to.include({ recorded: 1, replayed: 0, lost: 1 })
    })

    // One signal without an answer to the lookup among 20 signals is 5 %, which is allowed.
    for (const [side, at] of [
      ['recorded', 0],
      ['replayed', 1],
    ] as const)
      it(`are refused where more than 5 % of the ${side} signals lack the answer`, () => {
        const lacking = (count: number) => {
          const signals = [
            ...many(20 - count),
            ...many(count).map((one) => ({ ...one, ...valuesOf(null), id: `${one.id} -` })),
          ]
          return compared(at === 0 ? signals : many(20), at === 1 ? signals : many(20))
        }
        expect(lacking(1)[0]).to.include({ refusedBy: null })
        expect(lacking(1)[0]?.spans).to.have.length(1)
        expect(lacking(2)[0]).to.deep.include({ refusedBy: 'buyers', spans: [] })
        expect(textOfComparison(lacking(2))).to.match(
          /^bursts, main\n {2}not compared: (0|10)\.0 % of the recorded signals and (0|10)\.0 % of those .* --where allows at most 5\.0 %\n$/,
        )
      })

    it('are refused where more than 5 % lack the answer in one of several spans', () => {
      const split = [
        { name: 'in sample', fromMs: 0, toMs: 20 * minuteMs },
        { name: 'out of sample', fromMs: 20 * minuteMs, toMs: 100 * minuteMs },
      ]
      const lacking = signal('a', 30, valuesOf(null))
      const replayed = [...many(99), lacking]
      const groups = compareRuns({ recorded: many(99), replayed }, kinds, { spans: split, where })
      expect(groups[0]).to.deep.include({
        ...{ refusedBy: 'buyers', spans: [] },
        refusedIn: { span: 'out of sample', replayedLack: 1, recordedLack: null },
        lookups: [{ name: 'buyers', replayedLack: 0.01, recordedLack: 0 }],
      })
      expect(textOfComparison(groups)).to.equal(
        'bursts, main\n  not compared: out of sample, - of the recorded signals and 100.0 % of those with these rules have no answer about buyers, and --where allows at most 5.0 %\n',
      )
      expect(compared(many(99), replayed)[0]).to.include({ refusedBy: null, refusedIn: null })
    })

    it('leave out kinds that have no such field', () => {
      const calls = { ...kinds[0], name: 'calls', lookups: [] } as ComparedKind
      const signals = [signal('a', 10, valuesOf('safe')), signal('a', 11, { kind: 'calls' })]
      const groups = compareRuns({ recorded: signals, replayed: signals }, [...kinds, calls], { spans, where })
      expect(groups.map(({ kind }) => kind)).to.deep.equal(['bursts'])
    })
  })

  it('count a return only where it is known', () => {
    const replayed = [
      signal('a', 10, { returns: { ret: 0.1 } }),
      signal('b', 10, { returns: { ret: null } }),
      signal('c', 10),
    ]
    const span = spanOf([], replayed)
    expect(span).to.include({ replayed: 3, pending: 1 })
    expect(span?.returns[0]?.replayed).to.include({ n: 1, mean: 0.1, median: 0.1, meanLow: null, winShare: 1 })
  })

  it('are told in a table', () => {
    const returns = (ret: number) => ({ returns: { ret } })
    const recorded = [signal('a', 10, returns(-0.1)), signal('b', 20, returns(0.3))]
    const replayed = [...recorded, signal('c', 30, returns(0.1)), signal('d', 40)]
    expect(textOfComparison(compareRuns({ recorded, replayed }, kinds, whole))).to.equal(
      [
        'bursts, main',
        '                                                   recorded           with these rules',
        '  signals                                                 2                          4',
        '  ret, known of                                           2                          3',
        '    mean, and its 90 % interval  10.0 % (-10.0 % to 30.0 %)  10.0 % (-3.3 % to 23.3 %)',
        '    mean without costs of 2.0 %                      12.0 %                     12.0 %',
        '    median                                           10.0 %                     10.0 %',
        '    a tenth is at or below                          -10.0 %                    -10.0 %',
        '    nine tenths are at or below                      30.0 %                     30.0 %',
        '    above 0                                          50.0 %                     66.7 %',
        '  the same: 2; gained: 2; lost: 0; 1 without an outcome within the range',
        '',
      ].join('\n'),
    )
  })

  it('leave out what no outcome is known of', () => {
    const text = textOfComparison(
      compareRuns({ recorded: [signal('a', 10)], replayed: [signal('a', 10)] }, kinds, whole),
    )
    expect(text.split('\n')).to.have.length(6)
    expect(text).to.include('ret, known of').and.not.include('median')
  })

  it('are told where there is nothing', () => {
    expect(textOfComparison([])).to.equal('Neither the recorded rules nor these gave a signal in this range.\n')
  })

  it('are near where ten minutes lie between them', () => expect(movedMsMax).to.equal(10 * minuteMs))
})

describe('a distribution of returns', () => {
  const of = (...values: readonly number[]) => distributionOf(values.map((value, at) => ({ token: `${at}`, value })))

  it('of nothing says nothing', () => {
    expect(of()).to.deep.equal({
      ...{ n: 0, mean: null, meanLow: null, meanHigh: null, median: null, p10: null, p90: null, winShare: null },
    })
  })

  for (const [values, expected] of [
    [[0.5], { n: 1, mean: 0.5, median: 0.5, p10: 0.5, p90: 0.5, winShare: 1 }],
    [[0, 1], { n: 2, mean: 0.5, median: 0.5, p10: 0, p90: 1, winShare: 0.5 }],
    [[9, 8, 7, 6, 5, 4, 3, 2, 1, 0], { n: 10, mean: 4.5, median: 4.5, p10: 0, p90: 8, winShare: 0.9 }],
  ] as const)
    it(`of ${values} has its quantiles`, () => expect(of(...values)).to.include(expected))

  it('draws the signals of one token together', () => {
    const values = [1, 1, 1, -1, -1, -1]
    const apart = distributionOf(values.map((value, at) => ({ token: `${at}`, value })))
    const together = distributionOf(values.map((value) => ({ token: String(value), value })))
    expect((together.meanHigh ?? 0) - (together.meanLow ?? 0)).to.be.above((apart.meanHigh ?? 0) - (apart.meanLow ?? 0))
  })
})

describe('conditions on what lookups said', () => {
  const fitsAll = (text: string, said: Signal['values']) => fits({ values: said }, parseWhere(text, kinds))

  for (const [text, said, expected] of [
    ['lp=safe', { lp: 'safe' }, true],
    ['lp=safe', { lp: 'held' }, false],
    ['lp=safe', { lp: null }, false],
    ['lp=safe', {}, false],
    ['buyers<=3', { buyers: 3 }, true],
    ['buyers<=3', { buyers: 3.5 }, false],
    ['buyers>=3', { buyers: 3 }, true],
    ['buyers>=3', { buyers: 2 }, false],
    ['buyers>=3', { buyers: null }, false],
    ['buyers=3', { buyers: 3 }, true],
    ['buyers>=2, buyers<=4,lp=held', { buyers: 3, lp: 'held' }, true],
    ['buyers>=2,buyers<=4,lp=held', { buyers: 5, lp: 'held' }, false],
  ] as const)
    it(`${text} of ${JSON.stringify(said)}: ${expected}`, () => expect(fitsAll(text, said)).to.equal(expected))

  for (const [text, message] of [
    ['lp', '--where: "lp" is not a condition. Examples: lp=safe, holdersTop10<=0.3'],
    ['lp=safe,', '--where: "" is not a condition'],
    ['age<=3', '--where: no answer of a lookup has a field age. The fields are: buyers, lp'],
    ['lp>=safe', '--where: the values of lp are words. Compare lp only with ='],
    ['lp=saef', '--where: saef is not a value of lp. Its values are safe, held'],
    ['buyers=many', '--where: buyers is compared with a number, but many is not a number'],
  ] as const)
    it(`refuses ${text}`, () => expect(() => parseWhere(text, kinds)).to.throw(message))
})
