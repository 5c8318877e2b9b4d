import { expect } from 'chai'
import type { Overview } from '../../../api/front/overview.ts'
import { createTape } from '../../../api/front/tape.ts'
import type { Outlet } from '../../../api/stream/clients.ts'

const overviewOf = (token: string): Overview => ({
  atMs: 1,
  calls: null,
  callsCut: null,
  chains: [
    {
      part: { wireName: 'chainA', coin: 'ETH', endsAt: 'later', pricesOf: async () => null },
      cut: null,
      shown: {
        columns: [],
        bursts: [2, 1].map((atMs) => ({ token, atMs, inflow: 1, text: `of ${atMs}`, ret: null, isPulled: false })),
      },
    },
  ],
})

type Viewer = Outlet & Readonly<{ sent: string[]; ended: string[]; close(): void }>

function viewer(waiting = 0): Viewer {
  const [sent, ended, listeners]: [string[], string[], (() => void)[]] = [[], [], []]
  return {
    ...{ sent, ended },
    send: (bytes) => void sent.push(bytes.toString()),
    waitingBytes: () => waiting,
    finish: () => void ended.push('finished'),
    destroy: () => void ended.push('destroyed'),
    onceClosed: (listener) => void listeners.push(listener),
    close() {
      for (const listener of listeners) listener()
    },
  }
}

const aWhile = () => new Promise((resolve) => setTimeout(resolve, 30))

describe('the tape', () => {
  let overview = overviewOf('first')
  let failure: Error | null = null
  const failures: unknown[] = []
  const tapes: ReturnType<typeof createTape>[] = []
  const open = () => {
    const tape = createTape({
      overview: async () => {
        if (failure !== null) throw failure
        return overview
      },
      logFailure: ({ err }) => void failures.push(err),
      everyMs: 5,
    })
    tapes.push(tape)
    return tape
  }
  beforeEach(() => {
    overview = overviewOf('first')
    failure = null
    failures.length = 0
  })
  afterEach(() => {
    for (const tape of tapes.splice(0)) tape.end()
  })
  const linesOf = (text: string) =>
    (JSON.parse(text.split('data: ')[1] ?? '[]') as readonly Readonly<{ id: string }>[]).map(({ id }) => id)

  it('sends the lines of an overview once to each viewer, the oldest first, and at once to a new viewer', async () => {
    const tape = open()
    const [first, second] = [viewer(), viewer()]
    expect(tape.subscribe('a', () => first)).to.equal(null)
    await aWhile()
    expect(tape.subscribe('b', () => second)).to.equal(null)
    const eventsOf = ({ sent }: Viewer) => sent.filter((text) => text.startsWith('event: lines'))
    expect(eventsOf(first).map(linesOf)).to.deep.equal([['chainA first 1 of 1', 'chainA first 2 of 2']])
    await aWhile()
    expect(eventsOf(second)).to.deep.equal(eventsOf(first))
    overview = overviewOf('second')
    await aWhile()
    expect(eventsOf(first)).to.have.length(2)
    expect(eventsOf(second)[1]).to.equal(eventsOf(first)[1]).and.to.contain('second')
    expect(first.sent.filter((text) => text.startsWith(':'))).to.have.length.above(1)
  })

  it('asks for no overview while nobody looks, and goes on after a failure', async () => {
    failure = new RangeError('a read fails')
    const tape = open()
    await aWhile()
    expect(failures).to.deep.equal([])
    const one = viewer()
    tape.subscribe('a', () => one)
    await aWhile()
    expect(failures).to.have.length.above(0)
    failure = null
    await aWhile()
    expect(one.sent.some((text) => text.startsWith('event: lines'))).to.equal(true)
    one.close()
    expect(tape.viewers()).to.equal(0)
  })

  it('has room for 20 viewers of an address and 1,000 in all, and again after one has left', () => {
    const tape = open()
    const viewers: Viewer[] = []
    const add = (address: string) =>
      tape.subscribe(address, () => {
        const one = viewer()
        viewers.push(one)
        return one
      })
    for (let index = 0; index < 1000; index++) expect(add(`address ${Math.floor(index / 20)}`)).to.equal(null)
    expect(add('another')?.error).to.contain('maximum number of viewers')
    viewers[0]?.close()
    expect(add('address 1')?.error).to.contain('your address already has 20')
    expect(add('another')).to.equal(null)
    expect(tape.viewers()).to.equal(1000)
  })

  it('destroys the connection of a viewer that does not read', async () => {
    const tape = open()
    const [slow, quick] = [viewer(128 * 1024 + 1), viewer(128 * 1024)]
    for (const one of [slow, quick]) tape.subscribe('a', () => one)
    await aWhile()
    expect(slow.ended).to.include('destroyed')
    expect(quick.ended).to.deep.equal([])
  })

  it('sends no old lines to the first viewer after a time without viewers', async () => {
    const tape = open()
    const [before, after] = [viewer(), viewer()]
    tape.subscribe('a', () => before)
    await aWhile()
    before.close()
    overview = overviewOf('second')
    tape.subscribe('a', () => after)
    await aWhile()
    expect(after.sent.filter((text) => text.startsWith('event: lines')).map(linesOf)).to.deep.equal([
      ['chainA second 1 of 1', 'chainA second 2 of 2'],
    ])
  })

  it('sends nothing after its end, and nothing to a viewer that has left, also if the overview comes later', async () => {
    let come = (_: Overview) => {}
    const coming = new Promise<Overview>((resolve) => {
      come = resolve
    })
    const tape = createTape({ overview: () => coming, logFailure: ({ err }) => void failures.push(err), everyMs: 5 })
    tapes.push(tape)
    const [left, stayed] = [viewer(), viewer()]
    for (const one of [left, stayed]) tape.subscribe('a', () => one)
    left.close()
    const early = [left, stayed].map(({ sent }) => sent.length)
    tape.end()
    come(overviewOf('first'))
    await aWhile()
    expect([left, stayed].map(({ sent }) => sent.length)).to.deep.equal(early)
    expect([left.ended, stayed.ended, failures]).to.deep.equal([[], ['finished'], []])
  })

  it('ends all connections when the service stops, and opens none', () => {
    const tape = open()
    const one = viewer()
    tape.subscribe('a', () => one)
    tape.end()
    expect(one.ended).to.deep.equal(['finished'])
    expect(tape.subscribe('a', () => expect.fail('a connection was opened'))?.code).to.equal('warming_up')
  })
})
