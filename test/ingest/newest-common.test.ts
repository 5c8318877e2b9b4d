import { expect } from 'chai'
import fc from 'fast-check'
import { answersSteadily } from '../../ingest/answers-steadily.ts'
import { newestCommon } from '../../ingest/newest-common.ts'

const blocksOf = (count: number) =>
  Array.from({ length: count }, (_, number) => ({ number, hash: '0x', atMs: 0 }) as const)

describe('the newest common block', () => {
  it('is found in few steps, or is none', async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(200), fc.nat(201), async (count, common) => {
        let asked = 0
        const found = await newestCommon(blocksOf(count), async ({ number }) => {
          asked++
          return number < common
        })
        expect(found?.number).to.equal(count === 0 || common === 0 ? undefined : Math.min(count, common) - 1)
        expect(asked).to.be.at.most(Math.ceil(Math.log2(count + 1)))
      }),
    )
  })
})

describe('an answer that is given steadily', () => {
  const signal = new AbortController().signal
  /**
   * Takes `looks` looks at these answers. Returns whether they were steady, the waits in milliseconds, and
   * the number of unused answers.
   */
  async function look(answers: readonly (string | null)[], looks: number, stop = signal) {
    const [left, waits] = [[...answers], [] as number[]]
    const delay = async (ms: number) => void waits.push(ms)
    const isSteady = await answersSteadily(async () => left.shift() ?? null, { looks, delay, signal: stop })
    return { isSteady, waits, left: left.length }
  }

  it('is the same at every look, a second after the other', async () => {
    expect(await look(['a', 'a', 'a', 'b'], 3)).to.deep.equal({ isSteady: true, waits: [1000, 1000], left: 1 })
    expect(await look([null, null], 2)).to.deep.equal({ isSteady: true, waits: [1000], left: 0 })
  })

  it('is none after the first other answer', async () => {
    expect(await look(['a', 'b', 'a'], 3)).to.deep.equal({ isSteady: false, waits: [1000], left: 1 })
  })

  it('is not waited for after an abort', async () => {
    const failure = await look(['a', 'a'], 2, AbortSignal.abort(new RangeError('stopped'))).catch((error) => error)
    expect(failure).to.be.instanceOf(RangeError)
  })
})
