import { setImmediate } from 'node:timers/promises'
import { expect } from 'chai'
import { createFairQueue } from '../../../../api/payments/limits/fair-queue.ts'
import { createSleepingClock } from './guard-world.ts'

describe('the queue of payments', () => {
  const client = (address: string, payer = 'anybody') => ({ address, payer })
  const nobodyGone = () => false

  /**
   * Opens a queue that lets the next `places` payments through. `gone` lists the payments that were let
   * through, in order.
   */
  const openQueue = (places: number) => {
    const { clock, ...times } = createSleepingClock()
    const world = { places, gone: [] as string[], dropped: [] as string[] }
    const place = () => (world.places > 0 ? world.places-- : null)
    const queue = createFairQueue({ ...times, isOpen: () => world.places > 0, place, waitMsMax: 1_000 })
    const send = (address: string, payer = 'anybody', isGone = nobodyGone) =>
      queue.take(client(address, payer), { isGone, isFirst: payer === 'preferred' }).then((found) => {
        const list = found === null ? world.dropped : world.gone
        list.push(`${address} ${payer}`)
      })
    const add = (count: number) => {
      world.places += count
    }
    const free = async (count: number) => {
      add(count)
      queue.advance()
      await setImmediate()
    }
    return { ...world, clock, queue, send, add, free, gone: world.gone, dropped: world.dropped }
  }

  it('lets go at once while there are places', async () => {
    const { send, gone } = openQueue(2)
    await Promise.all([send('a'), send('a')])
    expect(gone).to.have.length(2)
  })

  it('lets nobody go at once past a payment that waits', async () => {
    const { send, add, gone } = openQueue(0)
    void send('a', 'waiting')
    add(1)
    void send('b', 'newcomer')
    await setImmediate()
    expect(gone).to.deep.equal(['a waiting'])
  })

  it('lets nobody go at once while it is closed, although there are places', async () => {
    const { clock, ...times } = createSleepingClock()
    const queue = createFairQueue({ ...times, isOpen: () => false, place: () => 1, waitMsMax: 1_000 })
    let isGone = false
    void queue.take(client('a'), { isGone: nobodyGone }).then(() => {
      isGone = true
    })
    await setImmediate()
    expect(isGone).to.equal(false)
  })

  it('counts the turn of a payment that went at once', async () => {
    const { send, free, gone } = openQueue(1)
    await send('a', 'buyer')
    for (const payer of ['other', 'buyer']) void send('a', payer)
    await free(1)
    expect(gone).to.deep.equal(['a buyer', 'a other'])
  })

  it('takes the addresses in turn, however many payments of one wait', async () => {
    const { send, free, gone } = openQueue(0)
    for (let index = 0; index < 20; index++) void send('storm', `payer ${index}`)
    void send('a', 'one')
    void send('b', 'two')
    await free(3)
    expect(gone).to.deep.equal(['storm payer 19', 'a one', 'b two'])
  })

  it('takes of an address one of each payer before the second of any', async () => {
    const { send, free, gone } = openQueue(0)
    for (const payer of ['x', 'x', 'x', 'y', 'newcomer']) void send('a', payer)
    await free(4)
    expect(gone).to.deep.equal(['a newcomer', 'a y', 'a x', 'a x'])
    void send('a', 'another newcomer')
    await free(1)
    expect(gone.at(-1)).to.equal('a another newcomer')
  })

  it('takes whom it is told to before all others of the address', async () => {
    const { send, free, gone } = openQueue(1)
    await send('a', 'preferred')
    for (const payer of ['preferred', 'newcomer']) void send('a', payer)
    await free(1)
    expect(gone).to.deep.equal(['a preferred', 'a preferred'])
  })

  it('forgets a turn that was given back', async () => {
    const { send, free, gone, queue } = openQueue(2)
    await send('a', 'buyer')
    await send('a', 'other')
    queue.giveBack(client('a', 'buyer'))
    void send('a', 'other')
    void send('a', 'buyer')
    await free(1)
    expect(gone.at(-1)).to.equal('a buyer')
  })

  it('drops who waits too long, and who has left', async () => {
    const { send, dropped, clock } = openQueue(0)
    let isGone = false
    const left = send('a', 'left', () => isGone)
    const patient = send('a', 'patient')
    isGone = true
    await left
    expect([dropped, clock.atMs < 1_000_500]).to.deep.equal([['a left'], true])
    await patient
    expect([dropped.at(-1), clock.atMs]).to.deep.equal(['a patient', 1_001_000])
  })

  it('has room for 256 of an address, and for a new one in place of who had most turns, or waited longest', async () => {
    const { send, free, dropped } = openQueue(0)
    void send('a', 'again')
    await free(1)
    void send('a', 'again')
    for (let index = 0; index < 255; index++) void send('a', `payer ${index}`)
    void send('a', 'newcomer')
    await setImmediate()
    expect(dropped).to.deep.equal(['a again'])
    void send('a', 'another newcomer')
    void send('a', 'again')
    await setImmediate()
    expect(dropped).to.deep.equal(['a again', 'a payer 0', 'a again'])
  })

  it('has room for 1,024 of all, and for another address in place of one of those with the most', async () => {
    const { send, free, dropped, gone } = openQueue(0)
    for (let index = 0; index < 1_024; index++) void send(`storm ${index % 8}`, `payer ${index}`)
    void send('elsewhere', 'newcomer')
    await setImmediate()
    expect(dropped).to.have.length(1)
    expect(dropped[0]).to.match(/^storm/)
    await free(9)
    expect(gone.at(-1)).to.equal('elsewhere newcomer')
  })
})
