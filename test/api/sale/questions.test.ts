import { setImmediate } from 'node:timers/promises'
import { expect } from 'chai'
import { createQuestions, type Questions } from '../../../api/sale/questions.ts'
import { isRefusal } from '../../../api/sale/refusals.ts'

describe('unpaid questions', () => {
  let clock: { atMs: number }
  let questions: Questions
  const answer = {}

  beforeEach(() => {
    clock = { atMs: 1_000_000 }
    questions = createQuestions(() => clock.atMs)
  })

  const ask = (address: string, work: () => Promise<object> = async () => answer) =>
    questions.ask({ address, isGone: () => false }, work)
  const askOften = async (address: string, times: number) => {
    let refused = 0
    for (let turn = 0; turn < times; turn++) if (isRefusal(await ask(address))) refused += 1
    return refused
  }

  it('are 120 a minute for one address, whatever others ask, until it buys something', async () => {
    expect(await askOften('a', 130)).to.equal(10)
    expect(await askOften('b', 120)).to.equal(0)
    const refused = await ask('a')
    expect(refused).to.include({ status: 429, code: 'rate_limited' })
    expect((refused as { retryAfterSec: number }).retryAfterSec).to.be.within(1, 60)
    questions.noteBought('a')
    expect(await askOften('a', 121)).to.equal(1)
    clock.atMs += 60_000
    expect(await askOften('a', 1)).to.equal(0)
  })

  it('of strangers run one at a time, and a buyer waits for none of them', async () => {
    let running = 0
    let most = 0
    const open: (() => void)[] = []
    const slow = async () => {
      running += 1
      most = Math.max(most, running)
      await new Promise<void>((resolve) => open.push(resolve))
      running -= 1
      return answer
    }
    const strangers = Array.from({ length: 20 }, (_, index) => ask(`stranger ${index % 7}`, slow))
    questions.noteBought('buyer')
    expect(await ask('buyer')).to.equal(answer)
    expect(await questions.repeat('stranger 1', async () => answer)).to.equal(answer)
    await setImmediate()
    expect(most).to.equal(1)
    for (let done = 0; done < 20; done++) {
      open.shift()?.()
      await setImmediate()
    }
    expect(await Promise.all(strangers)).to.deep.equal(strangers.map(() => answer))
    expect(most).to.equal(1)
  })

  it('of buyers run four at a time', async () => {
    let begun = 0
    const never = () => {
      begun += 1
      return new Promise<object>(() => {})
    }
    for (let index = 0; index < 6; index++) {
      questions.noteBought(`buyer ${index}`)
      void ask(`buyer ${index}`, never)
    }
    await setImmediate()
    expect(begun).to.equal(4)
  })

  it('are refused where too many of all addresses wait', async () => {
    const never = () => new Promise<object>(() => {})
    const waiting = Array.from({ length: 257 }, (_, index) => ask(`stranger ${index}`, never))
    const refused = await ask('one more', never)
    expect(refused).to.include({ status: 429, code: 'rate_limited', retryAfterSec: 2 })
    expect(waiting).to.have.length(257)
  })

  it('leave room for repeats of what was paid for: two at once, and none is refused', async () => {
    let running = 0
    let most = 0
    const repeated = await Promise.all(
      Array.from({ length: 300 }, (_, index) =>
        questions.repeat(`buyer ${index % 3}`, async () => {
          running += 1
          most = Math.max(most, running)
          await setImmediate()
          running -= 1
          return { index }
        }),
      ),
    )
    expect([repeated.length, most]).to.deep.equal([300, 2])
  })
})
