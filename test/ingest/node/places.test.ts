import { setImmediate } from 'node:timers/promises'
import { expect } from 'chai'
import { createPlaces } from '../../../ingest/node/places.ts'

const never = new AbortController().signal

describe('places for requests', () => {
  it('are taken in order, never more than there are, and given back after a failure', async () => {
    const inPlace = createPlaces(2)
    const begun: number[] = []
    const ends: ((error?: Error) => void)[] = []
    const run = (number: number) =>
      inPlace(() => {
        begun.push(number)
        return new Promise<void>((resolve, reject) => {
          ends[number] = (error) => (error ? reject(error) : resolve())
        })
      }, never).catch(() => {})
    const all = [0, 1, 2, 3].map(run)
    await setImmediate()
    expect(begun).to.deep.equal([0, 1])
    ends[1]?.(new RangeError('failed'))
    await setImmediate()
    expect(begun).to.deep.equal([0, 1, 2])
    ends[0]?.()
    ends[2]?.()
    await setImmediate()
    ends[3]?.()
    await Promise.all(all)
    await inPlace(async () => begun.push(4), never)
    expect(begun).to.deep.equal([0, 1, 2, 3, 4])
  })

  it('are not waited for any longer than is wanted', async () => {
    const inPlace = createPlaces(1)
    let end = () => {}
    const ended = new Promise<void>((resolve) => {
      end = resolve
    })
    const first = inPlace(() => ended, never)
    const stop = new AbortController()
    const second = inPlace(() => expect.fail('nobody wants it'), stop.signal).catch((error: unknown) => error)
    stop.abort('enough')
    expect(await second).to.equal('enough')
    end()
    await first
    expect(await inPlace(async () => 'next', never)).to.equal('next')
  })
})
