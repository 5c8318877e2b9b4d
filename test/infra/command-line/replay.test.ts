import { expect } from 'chai'
import { parseSpeed } from '../../../infra/command-line/replay/replay.ts'
import { progressText } from '../../../infra/command-line/replay/replay-progress.ts'
import { surveyText } from '../../../infra/command-line/replay/survey-text.ts'
import { OperationError } from '../../../infra/errors.ts'

const atMs = (minute: number) => Date.UTC(2026, 0, 1, 12, minute)
const range = { from: atMs(0), to: atMs(10) }

describe('launch-data replay', () => {
  it('takes max or a number as speed', () => {
    expect(['max', '1', '60', '0.5'].map(parseSpeed)).to.deep.equal([Number.POSITIVE_INFINITY, 1, 60, 0.5])
    for (const text of ['', '0', '-1', 'fast', 'Infinity'])
      expect(() => parseSpeed(text), text).to.throw(OperationError, 'is not a speed')
  })

  it('says how far it is, how fast, and how long the rest takes', () => {
    const plan = { to: range.to, speed: Number.POSITIVE_INFINITY }
    const position = { knownAt: atMs(5), eventAt: atMs(4), records: 30_000, share: 0.25 }
    expect(progressText(plan, position, 20_000)).to.equal(
      '25 %, reached 2026-01-01T12:04:00.000Z, 30,000 records, 1,500 a second, 1 min 0 s left',
    )
    const first = { ...position, eventAt: null, records: 0, share: 0 }
    expect(progressText(plan, first, 0))
      .to.contain('reached 2026-01-01T12:05:00.000Z')
      .and.contain('time left unknown')
    expect(progressText(plan, { ...position, share: 1 }, 20_000)).to.match(/done$/)
    expect(progressText(plan, { ...position, share: 0.01 }, 200_000)).to.match(/5 h 30 min left$/)
    // Five minutes of the log are left, which take 2 min 30 s at double speed.
    expect(progressText({ ...plan, speed: 2 }, position, 20_000)).to.match(/, 2 min 30 s left$/)
  })

  it('says what it would give: records, bytes, what is held, gaps', () => {
    const text = surveyText(range, {
      counts: [
        { topic: 'chain-a-facts', type: 'Swap', records: 1_200, bytes: 240_000 },
        { topic: 'chain-a-facts', type: 'Tick', records: 2, bytes: 90 },
      ],
      held: [
        { topic: 'chain-a-facts', held: { from: atMs(-5), to: atMs(20) } },
        { topic: 'chain-a-derived', held: null },
      ],
      gaps: [{ stage: 'chain-a', from: atMs(1), to: atMs(3) }],
    })
    expect(text.split('\n')).to.deep.equal([
      'records with a knowledge time from 2026-01-01T12:00:00.000Z to 2026-01-01T12:10:00.000Z',
      '',
      'in all                           1,202 records    240.1 kB',
      '',
      'chain-a-facts                    1,202 records    240.1 kB',
      '  the log holds 2026-01-01T11:55:00.000Z to 2026-01-01T12:20:00.000Z',
      '  Swap                           1,200 records    240.0 kB',
      '  Tick                               2 records    90 bytes',
      '',
      'chain-a-derived                      0 records     0 bytes',
      '',
      'gaps, without a new block for more than 60 s:',
      '  chain-a  2026-01-01T12:01:00.000Z to 2026-01-01T12:03:00.000Z (120 s)',
    ])
    expect(surveyText(range, { counts: [], held: [], gaps: [] })).to.contain('no gap')
  })
})
