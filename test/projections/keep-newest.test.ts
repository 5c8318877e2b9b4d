import { expect } from 'chai'
import { keepNewest } from '../../projections/keep-newest.ts'

/** A pending answer, and the functions that settle it. */
const openAnswer = () => {
  let resolve: (value: string) => void = () => {}
  let reject: (reason: Error) => void = () => {}
  const promise = new Promise<string>((...ends) => {
    ;[resolve, reject] = ends
  })
  return { promise, resolve, reject }
}

describe('a cache of the newest answers', () => {
  const failureOf = (asked: Promise<unknown>) => asked.catch((error: unknown) => error)
  const fail = (): never => expect.fail('the answer is cached')

  it('makes an answer once for all who ask for it, while it is being made and afterwards', async () => {
    const keep = keepNewest<string>(2)
    const { promise, resolve } = openAnswer()
    const asked = [keep('a', () => promise), keep('a', fail)]
    resolve('made')
    expect([...(await Promise.all(asked)), await keep('a', fail)]).to.deep.equal(['made', 'made', 'made'])
  })

  it('fails for all who waited, and makes the answer again for the next who asks', async () => {
    const keep = keepNewest<string>(2)
    const { promise, reject } = openAnswer()
    const waiting = [keep('a', () => promise), keep('a', fail)].map(failureOf)
    const failure = new RangeError('the tables are away')
    reject(failure)
    expect(await Promise.all(waiting)).to.deep.equal([failure, failure])
    expect(await keep('a', async () => 'made again')).to.equal('made again')
    expect(await keep('a', fail)).to.equal('made again')
  })

  it('keeps an answer that is asked for between others', async () => {
    const keep = keepNewest<string>(2)
    await keep('now', async () => 'now')
    for (const earlier of ['a', 'b', 'c']) {
      expect(await keep(earlier, async () => earlier)).to.equal(earlier)
      expect(await keep('now', fail)).to.equal('now')
    }
  })

  it('forgets the answer that was not asked for the longest when there are more than it may keep', async () => {
    const keep = keepNewest<string>(2)
    for (const id of ['a', 'b', 'c']) await keep(id, async () => `first ${id}`)
    for (const id of ['c', 'b']) expect(await keep(id, fail)).to.equal(`first ${id}`)
    expect(await keep('a', async () => 'second a')).to.equal('second a')
  })

  /**
   * The cache keeps one answer. The old answer for `a` fails after `a` is made again.
   *     a  made ........................ fails
   *     b       made
   *     a            made again ..................  is still cached
   */
  it('keeps the answer that replaced a forgotten one when the forgotten one fails', async () => {
    const keep = keepNewest<string>(1)
    const { promise, reject } = openAnswer()
    const first = failureOf(keep('a', () => promise))
    await keep('b', async () => 'b')
    await keep('a', async () => 'made again')
    reject(new RangeError('the tables are away'))
    await first
    expect(await keep('a', fail)).to.equal('made again')
  })
})
