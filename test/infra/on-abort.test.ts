import { getEventListeners } from 'node:events'
import { expect } from 'chai'
import { onAbort } from '../../infra/on-abort.ts'

describe('callbacks at an abort', () => {
  const listenerCount = (signal: AbortSignal) => getEventListeners(signal, 'abort').length

  it('share one listener, and leave none when all are withdrawn', () => {
    const { signal } = new AbortController()
    const withdraws = Array.from({ length: 20 }, () => onAbort(signal, () => expect.fail('was called')))
    expect(listenerCount(signal)).to.equal(1)
    for (const withdraw of withdraws.slice(1)) withdraw()
    expect(listenerCount(signal)).to.equal(1)
    withdraws[0]?.()
    expect(listenerCount(signal)).to.equal(0)
    const again = onAbort(signal, () => expect.fail('was called'))
    for (const withdraw of withdraws) withdraw()
    expect(listenerCount(signal), 'a second withdrawal changes nothing').to.equal(1)
    again()
  })

  it('are called once each, also one function that was passed twice, and not after a withdrawal', () => {
    const stop = new AbortController()
    const called: string[] = []
    const twice = () => called.push('twice')
    for (let time = 0; time < 2; time++) onAbort(stop.signal, twice)
    onAbort(stop.signal, () => called.push('withdrawn'))()
    const withdrawLast = onAbort(stop.signal, () => called.push('last'))
    onAbort(stop.signal, () => {
      called.push('withdraws another')
      withdrawOther()
    })
    const withdrawOther = onAbort(stop.signal, () => called.push('other'))
    stop.abort()
    withdrawLast()
    expect(called).to.deep.equal(['twice', 'twice', 'last', 'withdraws another'])
    expect(listenerCount(stop.signal)).to.equal(0)
  })
})
