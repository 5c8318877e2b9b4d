import { setImmediate } from 'node:timers/promises'
import { expect } from 'chai'
import { createQuestions, type Questions } from '../../../api/sale/questions.ts'

describe('queries for paid answers', () => {
  let questions: Questions
  const answer = {}

  beforeEach(() => {
    questions = createQuestions()
  })

  const ask = (address: string, work: () => Promise<object> = async () => answer, route: object = {}) =>
    questions.ask({ address, isGone: () => false }, route, work)

  it('run four at a time, in turns of the addresses', async () => {
    const begun: string[] = []
    const open: (() => void)[] = []
    const slow = (address: string) =>
      ask(address, async () => {
        begun.push(address)
        await new Promise<void>((resolve) => open.push(resolve))
        return answer
      })
    const asked = [...Array(20).fill('often'), 'once'].map(slow)
    expect(begun).to.deep.equal(Array(4).fill('often'))
    open.shift()?.()
    open.shift()?.()
    await setImmediate()
    expect(begun).to.deep.equal([...Array(5).fill('often'), 'once'])
    expect(await questions.repeat('often', async () => answer), 'what is owed waits for none of them').to.equal(answer)
    while (open.length > 0) {
      open.shift()?.()
      await setImmediate()
    }
    expect(await Promise.all(asked)).to.have.length(21)
  })

  it('about subjects run sixteen at a time, and wait for no list', async () => {
    const never = () => new Promise<object>(() => {})
    for (let count = 0; count < 5; count++) void ask('lists', never)
    let running = 0
    const open: (() => void)[] = []
    const slow = async () => {
      running++
      await new Promise<void>((resolve) => open.push(resolve))
      return answer
    }
    const asked = Array.from({ length: 17 }, () => ask('subjects', slow, { subject: {} }))
    expect(running).to.equal(16)
    while (open.length > 0) {
      open.shift()?.()
      await setImmediate()
    }
    expect([(await Promise.all(asked)).length, running]).to.deep.equal([17, 17])
  })

  it('are refused where too many of all addresses wait', async () => {
    const never = () => new Promise<object>(() => {})
    const waiting = Array.from({ length: 260 }, (_, index) => ask(`address ${index}`, never))
    const refused = await ask('one more', never)
    expect(refused).to.include({ status: 503, code: 'payments_not_live', retryAfterSec: 2 })
    expect(waiting).to.have.length(260)
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
