import { expect } from 'chai'
import { type ByeReason, createClients, type Outlet } from '../../../api/stream/clients.ts'

const hourMs = 3_600_000

/**
 * Makes the server's end of a client connection for a test. It records what was sent, and how the connection
 * ended.
 */
function createOutlet() {
  const sent: string[] = []
  const buffers: Buffer[] = []
  const closed: (() => void)[] = []
  const state = { waitingBytes: 0, ending: null as string | null }
  const outlet: Outlet = {
    send(bytes) {
      sent.push(bytes.toString())
      buffers.push(bytes)
    },
    waitingBytes: () => state.waitingBytes,
    finish(bytes) {
      sent.push(bytes.toString())
      state.ending = 'finished'
    },
    destroy() {
      state.ending = 'destroyed'
    },
    onceClosed: (listener) => void closed.push(listener),
  }
  const close = () => {
    for (const listener of closed.splice(0)) listener()
  }
  return { outlet, sent, buffers, state, close }
}

function createWorld() {
  let atMs = 0
  const due: { atMs: number; work: () => void }[] = []
  const clients = createClients({
    byeOf: (reason: ByeReason) => Buffer.from(`bye ${reason}`),
    nowMs: () => atMs,
    limits: { ofPass: 2, ofAddress: 3, all: 4 },
    later(work, delayMs) {
      const one = { atMs: atMs + delayMs, work }
      due.push(one)
      return () => void (due.includes(one) && due.splice(due.indexOf(one), 1))
    },
  })
  const pass = (id: string, expiresAtMs = hourMs) => ({ id, expiresAtMs })
  return {
    clients,
    pass,
    due,
    advanceTo(nextAtMs: number) {
      atMs = nextAtMs
      for (const one of due.filter((each) => each.atMs <= atMs)) {
        due.splice(due.indexOf(one), 1)
        one.work()
      }
    },
    join(id: string, address = '198.51.100.7', expiresAtMs = hourMs) {
      const client = createOutlet()
      clients.add({ pass: pass(id, expiresAtMs), address, outlet: client.outlet }, Buffer.from('hello'))
      return client
    },
  }
}

describe('the clients of the stream', () => {
  it('get their first bytes alone, and then the same bytes, the same object, as all others', () => {
    const { clients, join } = createWorld()
    const [one, two] = [join('a'), join('b')]
    clients.send(Buffer.from('event 1'))
    const three = join('c', '198.51.100.8')
    clients.send(Buffer.from('event 2'))
    expect(one.sent).to.deep.equal(['hello', 'event 1', 'event 2'])
    expect(two.sent).to.deep.equal(['hello', 'event 1', 'event 2'])
    expect(three.sent).to.deep.equal(['hello', 'event 2'])
    expect(one.buffers[2]).to.equal(three.buffers[1])
  })

  it('are two of a pass; one that closes gives its place back at once', () => {
    const { clients, join, pass } = createWorld()
    const codeOf = (id: string) => clients.refusalOf(pass(id), '203.0.113.1')?.code ?? null
    const first = join('a')
    expect(codeOf('a')).to.equal(null)
    join('a')
    expect(codeOf('a')).to.equal('too_many_connections')
    expect(codeOf('b'), 'another pass').to.equal(null)
    first.close()
    expect(codeOf('a')).to.equal(null)
    join('a')
    expect(codeOf('a')).to.equal('too_many_connections')
  })

  it('of at least a minute give their places to new ones of their pass, the oldest first', () => {
    const { clients, join, pass, advanceTo } = createWorld()
    const isFull = () => clients.refusalOf(pass('a'), '203.0.113.1') !== null
    const [first, other] = [join('a'), join('b')]
    advanceTo(1_000)
    const second = join('a', '203.0.113.2')
    advanceTo(59_999)
    expect(isFull()).to.equal(true)
    advanceTo(60_000)
    expect(isFull()).to.equal(false)
    expect(first.sent, 'a question replaces nobody').to.deep.equal(['hello'])
    const third = join('a', '203.0.113.3')
    expect([first.sent, first.state.ending]).to.deep.equal([['hello', 'bye replaced'], 'finished'])
    expect(isFull(), 'the second is too young').to.equal(true)
    // The operating system reports the dead connection late. It must not free a place again.
    first.close()
    expect(isFull()).to.equal(true)
    advanceTo(61_000)
    expect(isFull()).to.equal(false)
    clients.send(Buffer.from('event'))
    expect([first, second, third, other].map(({ sent }) => sent.at(-1))).to.deep.equal([
      ...['bye replaced', 'event', 'event', 'event'],
    ])
    expect(clients.closedCounts()).to.include({ replaced: 1 })
  })

  it('that get earlier events are replaced like others', () => {
    const { clients, join, pass, advanceTo } = createWorld()
    const late = createOutlet()
    const newClient = { pass: pass('a'), address: 'x', outlet: late.outlet }
    const behind = clients.addBehind(newClient, Buffer.from('hello'))
    advanceTo(1)
    join('a', 'y')
    advanceTo(60_000)
    join('a', 'z')
    expect([behind.signal.aborted, late.sent]).to.deep.equal([true, ['hello', 'bye replaced']])
  })

  it('are bounded by address and in all, each telling which', () => {
    const { clients, join, pass } = createWorld()
    const errorOf = (address: string) => clients.refusalOf(pass('new'), address)?.error
    const [first] = [join('a'), join('b'), join('c')]
    expect(errorOf('198.51.100.7')).to.include('your address already has 100 connections')
    expect(errorOf('198.51.100.8')).to.equal(undefined)
    const other = join('d', '198.51.100.8')
    expect(errorOf('198.51.100.9')).to.include('already has the maximum number of connections')
    other.close()
    expect(errorOf('198.51.100.9')).to.equal(undefined)
    first?.close()
    expect(errorOf('198.51.100.7')).to.equal(undefined)
  })

  it('are told when their pass expires, and get nothing more', () => {
    const { clients, join, advanceTo } = createWorld()
    const short = join('a', 'x', 1_000)
    const long = join('b', 'x', 5_000)
    advanceTo(999)
    expect(short.state.ending).to.equal(null)
    advanceTo(1_000)
    clients.send(Buffer.from('event'))
    expect(short.sent).to.deep.equal(['hello', 'bye expired'])
    expect(short.state.ending).to.equal('finished')
    expect(long.sent).to.deep.equal(['hello', 'event'])
  })

  it('that do not read are told so and go, while others read on', () => {
    const { clients, join } = createWorld()
    const [slow, quick] = [join('a'), join('b')]
    slow.state.waitingBytes = 256 * 1024
    clients.send(Buffer.from('event 1'))
    slow.state.waitingBytes += 1
    clients.send(Buffer.from('event 2'))
    clients.send(Buffer.from('event 3'))
    expect(slow.sent).to.deep.equal(['hello', 'event 1', 'bye too_slow'])
    expect(quick.sent).to.deep.equal(['hello', 'event 1', 'event 2', 'event 3'])
    expect(clients.closedCounts()).to.deep.equal({ expired: 0, replaced: 0, too_slow: 1, shutdown: 0, failed: 0 })
  })

  it('that do not even take their last bytes are cut off, and hold their place until then', () => {
    const { clients, join, pass, advanceTo } = createWorld()
    const [slow] = [join('a'), join('a')]
    if (slow) slow.state.waitingBytes = 1e9
    clients.send(Buffer.from('event'))
    expect(clients.refusalOf(pass('a'), 'x')?.code).to.equal('too_many_connections')
    advanceTo(4_999)
    expect(slow?.state.ending).to.equal('finished')
    advanceTo(5_000)
    expect(slow?.state.ending).to.equal('destroyed')
    slow?.close()
    expect(clients.refusalOf(pass('a'), 'x')).to.equal(null)
  })

  it('all end with a reason, each once, and leave no timer behind', () => {
    const { clients, join, due } = createWorld()
    const all = [join('a'), join('b')]
    clients.end('shutdown')
    clients.end('shutdown')
    for (const { sent, close } of all) {
      expect(sent).to.deep.equal(['hello', 'bye shutdown'])
      close()
    }
    expect(clients.count()).to.equal(0)
    expect(due).to.deep.equal([])
  })

  it('that get earlier events first get only what is sent to them, then what was kept, then what all get', () => {
    const { clients, pass } = createWorld()
    const late = createOutlet()
    const behind = clients.addBehind({ pass: pass('a'), address: 'x', outlet: late.outlet }, Buffer.from('hello'))
    expect(clients.count(), 'nothing needs to be made for it').to.equal(0)
    clients.send(Buffer.from('event 1'))
    behind.send(Buffer.from('again 1'))
    behind.hold()
    expect(clients.count()).to.equal(1)
    clients.send(Buffer.from('event 2'))
    behind.send(Buffer.from('again 2'))
    expect(late.sent).to.deep.equal(['hello', 'again 1', 'again 2'])
    behind.release()
    clients.send(Buffer.from('event 3'))
    expect(late.sent).to.deep.equal(['hello', 'again 1', 'again 2', 'event 2', 'event 3'])
  })

  it('that get earlier events count toward the limits, expire and end like others', () => {
    const { clients, pass, advanceTo, due } = createWorld()
    const begin = (id: string, expiresAtMs = hourMs) => {
      const client = createOutlet()
      const added = { pass: pass(id, expiresAtMs), address: 'x', outlet: client.outlet }
      return { ...client, behind: clients.addBehind(added, Buffer.from('hello')) }
    }
    const [short, left, last] = [begin('a', 1_000), begin('a'), begin('b')]
    expect(clients.refusalOf(pass('a'), 'y')?.code).to.equal('too_many_connections')
    expect(clients.refusalOf(pass('c'), 'x')?.error).to.include('your address')
    advanceTo(1_000)
    expect([short.sent, short.behind.signal.aborted]).to.deep.equal([['hello', 'bye expired'], true])
    short.behind.send(Buffer.from('again'))
    short.behind.hold()
    expect([short.sent.length, clients.count()]).to.deep.equal([2, 0])
    short.close()
    left.close()
    expect([left.behind.signal.aborted, clients.refusalOf(pass('a'), 'y')]).to.deep.equal([true, null])
    clients.end('shutdown')
    expect([last.sent, last.behind.signal.aborted]).to.deep.equal([['hello', 'bye shutdown'], true])
    last.close()
    expect(due).to.deep.equal([])
    expect(clients.closedCounts()).to.include({ expired: 1, shutdown: 1 })
  })

  it('are too slow if too much was kept for them', () => {
    const { clients, pass } = createWorld()
    const late = createOutlet()
    const behind = clients.addBehind({ pass: pass('a'), address: 'x', outlet: late.outlet }, Buffer.from('hello'))
    behind.hold()
    clients.send(Buffer.alloc(256 * 1024))
    clients.send(Buffer.from('e'))
    expect(behind.signal.aborted).to.equal(false)
    clients.send(Buffer.from('e'))
    expect([behind.signal.aborted, late.sent]).to.deep.equal([true, ['hello', 'bye too_slow']])
  })
})
