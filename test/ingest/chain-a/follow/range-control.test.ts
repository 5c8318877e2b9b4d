import { expect } from 'chai'
import {
  afterContradiction,
  afterPass,
  afterRefusal,
  afterSingleRefusal,
  afterSuccess,
  afterWait,
  type RangeControl,
  startRangeControl,
} from '../../../../ingest/chain-a/follow/range-control.ts'

type Event = 'pass' | 'heavy pass' | 'refusal' | 'failure' | 'short failure' | 'early failure' | 'contradiction'

function spansAfter(spanMax: number, events: readonly Event[]): readonly number[] {
  let control = startRangeControl(spanMax)
  return events.map((event) => {
    control = next(control, event)
    return control.span
  })
}

function next(control: RangeControl, event: Event): RangeControl {
  if (event === 'pass') return afterPass(control, 10)
  if (event === 'heavy pass') return afterPass(control, 20_001)
  if (event === 'refusal') return afterRefusal(control, control.span) ?? control
  if (event === 'contradiction') return afterContradiction(control, control.span)
  const asked = { failure: control.span, 'short failure': 24, 'early failure': null }[event]
  return afterWait(control, asked).control
}

describe('the number of blocks asked for at once', () => {
  const table: readonly (readonly [string, number, readonly Event[], readonly number[]])[] = [
    ['doubles after three clean passes', 10_000, ['pass', 'pass', 'pass', 'pass'], [1000, 1000, 2000, 2000]],
    ['never exceeds what is configured', 1500, ['pass', 'pass', 'pass'], [1000, 1000, 1500]],
    ['starts no higher than what is configured', 7, ['pass'], [7]],
    ['halves on every refusal', 10_000, ['refusal', 'refusal', 'refusal'], [500, 250, 125]],
    ['grows by an eighth once it was refused', 10_000, ['refusal', 'pass', 'pass', 'pass'], [500, 500, 500, 563]],
    ['starts counting again after a refusal', 10_000, ['pass', 'pass', 'refusal', 'pass'], [1000, 1000, 500, 500]],
    ['does not grow while answers are heavy', 10_000, ['heavy pass', 'heavy pass', 'heavy pass'], [1000, 1000, 1000]],
    ['halves when a request of the range fails in all tries', 10_000, ['failure', 'failure'], [500, 250]],
    ['halves what was asked for, not what could have been', 10_000, ['short failure'], [12]],
    ['stays when the node is away before a range is asked for', 10_000, ['early failure'], [1000]],
    ['doubles again after failures', 10_000, ['failure', 'pass', 'pass', 'pass'], [500, 500, 500, 1000]],
    ['halves at the second contradiction', 10_000, ['contradiction', 'contradiction'], [1000, 500]],
    ['forgets a contradiction after a pass', 10_000, ['contradiction', 'pass', 'contradiction'], [1000, 1000, 1000]],
  ]
  for (const [name, spanMax, events, spans] of table)
    it(name, () => {
      expect(spansAfter(spanMax, events)).to.deep.equal(spans)
    })

  it('has nothing left to halve at one block', () => {
    expect(afterRefusal(startRangeControl(10), 2)?.span, 'of two, one').to.equal(1)
    expect(afterRefusal(startRangeControl(10), 3)?.span, 'of three, one').to.equal(1)
    expect(afterRefusal(startRangeControl(10), 1)).to.equal(null)
    expect(afterWait(startRangeControl(1), 1).control.span).to.equal(1)
  })

  it('waits longer each time, up to half a minute', () => {
    let control = startRangeControl(10)
    const waits = Array.from({ length: 8 }, () => {
      const waited = afterWait(control, null)
      control = waited.control
      return waited.waitMs
    })
    expect(waits).to.deep.equal([500, 1000, 2000, 4000, 8000, 16_000, 30_000, 30_000])
  })
})

describe('a node that refuses a single block', () => {
  const single: RangeControl = { ...startRangeControl(1), span: 1 }
  const refusedTimes = (count: number, from = single): RangeControl | null => {
    let control: RangeControl | null = from
    for (let time = 0; time < count && control !== null; time++) control = afterSingleRefusal(control)?.control ?? null
    return control
  }

  it('is asked again eight times, over a minute and a half', () => {
    const waits: number[] = []
    for (let time = 0; time < 8; time++) waits.push(afterSingleRefusal(refusedTimes(time) ?? single)?.waitMs ?? -1)
    expect(waits).to.deep.equal([500, 1000, 2000, 4000, 8000, 16_000, 30_000, 30_000])
    expect(refusedTimes(9)).to.equal(null)
  })

  const between: readonly (readonly [string, (control: RangeControl) => RangeControl | null])[] = [
    ['answers', (control) => afterSuccess(control)],
    ['answers a range', (control) => afterPass(control, 1)],
    ['is away', (control) => afterWait(control, 1).control],
    ['is away before a range is asked for', (control) => afterWait(control, null).control],
    ['contradicts itself', (control) => afterContradiction(control, 1)],
    ['contradicts itself over several blocks', (control) => afterContradiction({ ...control, waitCount: 1 }, 4)],
    ['refuses several blocks', (control) => afterRefusal(control, 4)],
  ]
  for (const [what, after] of between)
    it(`does not stand by it where it ${what} in between`, () => {
      const refused = refusedTimes(8)
      if (refused === null) return expect.fail('eight are not too many')
      expect(refusedTimes(8, after(refused) ?? refused)).to.not.equal(null)
    })

  it('has its refusals counted alone: many other failures before are none', () => {
    let control: RangeControl = single
    for (let time = 0; time < 50; time++) control = afterContradiction(afterWait(control, null).control, 1)
    expect(refusedTimes(8, control)).to.not.equal(null)
    expect(refusedTimes(9, control)).to.equal(null)
  })
})
