import { expect } from 'chai'
import { createAnswered } from '../../../ingest/lookups/answered.ts'

const at = (atMs: number, behindSeq = 0) => ({ atMs, behindSeq })

describe('answered questions', () => {
  it('are known until they are forgotten', () => {
    const answered = createAnswered([['a', at(1)]])
    answered.add('b', at(2))
    expect([...answered.ids()]).to.deep.equal(['a', 'b'])
    answered.forget('a')
    expect([answered.has('a'), answered.has('b'), answered.has('c')]).to.deep.equal([false, true, false])
  })

  it('are forgotten by age up to the instant, whatever order they were known in', () => {
    const answered = createAnswered([
      ['late', at(30)],
      ['early', at(10)],
      ['on time', at(20)],
    ])
    answered.forgetBefore(20)
    expect([...answered.ids()]).to.deep.equal(['on time', 'late'])
  })

  it('count by their newest answer', () => {
    const answered = createAnswered([
      ['a', at(10)],
      ['b', at(20)],
      ['a', at(30)],
    ])
    answered.add('b', at(40))
    answered.forgetBefore(30)
    expect([...answered.ids()]).to.deep.equal(['a', 'b'])
  })

  it('are looked through for old ones once a minute', () => {
    const answered = createAnswered([
      ['a', at(10)],
      ['b', at(20)],
      ['c', at(60_020)],
    ])
    const leftAfter = (atMs: number) => {
      answered.forgetBefore(atMs)
      return [...answered.ids()].join(' ')
    }
    expect([11, 60_010, 60_011].map(leftAfter)).to.deep.equal(['b c', 'b c', 'c'])
  })

  for (const [what, behindSeq, seq, stands] of [
    ['behind the tick', 8, 7, true],
    ['behind the very tick', 7, 7, true],
    ['before the tick', 6, 7, false],
    ['nobody knows where', 0, 1, false],
  ] as const)
    it(`stand ${what}: ${stands}`, () => {
      const answered = createAnswered([['a', at(1, behindSeq)]])
      expect([answered.standsBehind('a', seq), answered.standsBehind('b', seq)]).to.deep.equal([stands, false])
    })
})
