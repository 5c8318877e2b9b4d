import { createHash } from 'node:crypto'
import { getEventListeners } from 'node:events'
import type { ServerResponse } from 'node:http'
import { encodePaymentRequiredHeader } from '@x402/core/http'
import { expect } from 'chai'
import { type LaunchDataClient, openLaunchDataClient } from '../../../api/client/client.ts'
import type { BuyerOptions } from '../../../api/client/open-buyer.ts'
import { createSpendingMemory } from '../../../api/client/spending-store.ts'
import { isOperationError, type OperationError } from '../../../infra/errors.ts'
import { startPlainServer } from '../../support/sockets/plain-server.ts'
import { createWorld, offered, optionsFor } from './shop-double.ts'

/** One connection of the double: writes events, and then breaks or stays open. */
type Connection = (response: ServerResponse, query: URLSearchParams) => void

/**
 * A small HTTP server in place of the service and its stream. It gives passes for nothing, numbered from 1, and
 * handles each connection as the test tells it. After the last one, connections stay open without an event.
 */
async function startStreamDouble() {
  const sales: Connection[] = []
  const queries: Record<string, string>[] = []
  const connections: Connection[] = []
  const passes = { count: 0 }
  const { url, stop: close } = await startPlainServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://127.0.0.1')
    const isPass = pathname === '/v1/stream/pass'
    if (isPass && sales.length > 0) return sales.shift()?.(response, searchParams)
    if (isPass) return response.end(JSON.stringify({ token: `pass-${++passes.count}` }))
    queries.push(Object.fromEntries(searchParams))
    return (connections.shift() ?? events())(response, searchParams)
  })
  return { url, queries, connections, passes, sales, close }
}

const frame = (name: string, id: string | null, data: object = {}): string =>
  `event: ${name}\n${id === null ? '' : `id: ${id}\n`}data: ${JSON.stringify({ type: name, ...data })}\n\n`
const hello = (id: string) => `retry: 100\n${frame('hello', id)}`
const burst = (id: string) => frame('burst', id, { id: `row ${id}` })
/** The end of the events that were sent again: their number, and a hash of their lines `id` and `data`. */
const caughtUp = (id: string, ...sent: readonly string[]) => {
  const hash = createHash('sha256')
  for (const text of sent) hash.update(text.replace(/^event: .*\n/, '').replace(/\n\n$/, '\n'))
  return frame('caught-up', id, { count: sent.length, hash: hash.digest('hex') })
}
const bye = (reason: string) => frame('bye', null, { reason })

/** Sends the text and keeps the connection open. */
const events =
  (...texts: readonly string[]): Connection =>
  (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.write(texts.join('') || ': open\n')
  }
/** Sends the text and breaks the connection. */
const broken =
  (...texts: readonly string[]): Connection =>
  (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.write(texts.join('') || ': open\n', () => setImmediate(() => response.destroy()))
  }
const refused =
  (status: number, body: object): Connection =>
  (response) => {
    response.writeHead(status)
    response.end(JSON.stringify({ docs: 'x', ...body }))
  }

describe('the stream of a client', () => {
  let double: Awaited<ReturnType<typeof startStreamDouble>>
  let clients: LaunchDataClient[] = []
  let clock: ReturnType<typeof createWorld>
  beforeEach(async () => {
    double = await startStreamDouble()
    clock = createWorld()
  })
  afterEach(async () => {
    await Promise.all(clients.map((client) => client.close()))
    clients = []
    await double.close()
  })
  const open = async (changes: Partial<BuyerOptions> = {}) => {
    const { world: _, ...world } = clock
    const client = await openLaunchDataClient(optionsFor(double.url, { world, ...changes }))
    clients.push(client)
    return client
  }
  /** Returns the cursors of the first events. */
  const take = async (stream: AsyncGenerator<Readonly<{ cursor: string | null }>>, count: number) => {
    const cursors: (string | null)[] = []
    for await (const { cursor } of stream) if (cursors.push(cursor) === count) break
    return cursors
  }
  const failureOf = async (stream: AsyncGenerator<Readonly<{ cursor: string | null }>>): Promise<OperationError> => {
    const error = await take(stream, 1_000).catch((cause: unknown) => cause)
    if (isOperationError(error)) return error
    throw new TypeError(`no OperationError but ${String(error)}`)
  }

  it('has rows and corrections with their cursors, and other events only if they are asked for', async () => {
    const sent = [hello('0'), burst('1'), frame('heartbeat', '1'), frame('withdrawn', '2'), frame('watermark', '3')]
    double.connections.push(events(...sent), events(...sent))
    const client = await open()
    expect(await take(client.stream(), 2)).to.deep.equal(['1', '2'])
    expect(await take(client.stream({ types: ['watermark', 'heartbeat'] }), 2)).to.deep.equal(['1', '3'])
  })

  it('stops if events that were sent again did not arrive, or arrived with another text', async () => {
    const client = await open()
    const corrected = burst('3').replace('row 3', 'row 4')
    for (const arrived of [[burst('3')], [burst('2'), burst('3'), burst('3')], [burst('2'), corrected], []]) {
      double.connections.push(events(hello('1'), ...arrived, caughtUp('3', burst('2'), burst('3')), burst('4')))
      const { code, context } = await failureOf(client.stream({ from: '1' }))
      expect([code, context]).to.deep.equal(['stream_failed', { cursor: '1', arrived: arrived.length, sent: 2 }])
    }
    double.connections.push(
      events(
        hello('1'),
        burst('2'),
        frame('heartbeat', '2'),
        burst('3'),
        caughtUp('3', burst('2'), burst('3')),
        burst('4'),
      ),
    )
    expect(await take(client.stream({ from: '1' }), 3)).to.deep.equal(['2', '3', '4'])
  })

  it('continues after the last event when its connection breaks', async () => {
    double.connections.push(broken(hello('0'), burst('1'), burst('2')))
    double.connections.push(broken(hello('9'), burst('3')), events(hello('9'), burst('4'), caughtUp('4', burst('4'))))
    expect(await take((await open()).stream(), 4)).to.deep.equal(['1', '2', '3', '4'])
    expect(double.queries.map(({ from }) => from)).to.deep.equal([undefined, '2', '3'])
    expect(double.passes.count).to.equal(1)
  })

  it('drops an event that is cut', async () => {
    double.connections.push(broken(hello('0'), burst('1'), burst('2').slice(0, -1)), events(hello('9'), burst('2')))
    expect(await take((await open()).stream(), 2)).to.deep.equal(['1', '2'])
    expect(double.queries[1]?.from).to.equal('1')
  })

  it('takes no cursor of an event about the stream until it has caught up', async () => {
    double.connections.push(broken(hello('9'), frame('heartbeat', '9')), broken(hello('9'), caughtUp('9')))
    double.connections.push(events(hello('9'), burst('10')))
    expect(await take((await open()).stream({ from: '5' }), 1)).to.deep.equal(['10'])
    expect(double.queries.map(({ from }) => from)).to.deep.equal(['5', '5', '9'])
  })

  it('has a cursor from the beginning, so that nothing is lost before the first event', async () => {
    double.connections.push(broken(hello('7')), events(hello('9'), burst('8')))
    expect(await take((await open()).stream(), 1)).to.deep.equal(['8'])
    expect(double.queries[1]?.from).to.equal('7')
  })

  it('pauses as long as the service asks, and longer while connections bring no event', async () => {
    double.connections.push(broken(hello('0'), burst('1')), broken(hello('1')), refused(429, { error: 'x', code: 'y' }))
    double.connections.push(broken(), events(hello('1'), burst('2')))
    await take((await open()).stream(), 2)
    expect(clock.world.slept).to.deep.equal([100, 200, 400, 800])
  })

  it('pauses for at most a minute, whatever the service asks', async () => {
    double.connections.push(broken('retry: 86400000\n\n', hello('0').replace('retry: 100\n', ''), burst('1')))
    double.connections.push(events(hello('1'), burst('2')))
    await take((await open()).stream(), 2)
    expect(clock.world.slept).to.deep.equal([60_000])
  })

  it('connects again if the service does not answer', async () => {
    double.connections.push(() => {}, events(hello('0'), burst('1')))
    expect(await take((await open({ timeoutMs: 100 })).stream(), 1)).to.deep.equal(['1'])
  })

  it('ends with its cursor after too many connections without an event', async () => {
    double.connections.push(broken(hello('3')), broken(), refused(503, { error: 'x', code: 'warming_up' }))
    const error = await failureOf((await open({ attemptsMax: 2 })).stream())
    expect(error.code).to.equal('stream_failed')
    expect(error.context).to.deep.equal({ cursor: '3' })
  })

  it('buys the next pass when a pass has expired, also if it learns this from a refusal', async () => {
    const expired = refused(401, { error: 'the token has expired', code: 'bad_token' })
    double.connections.push(events(hello('0'), burst('1'), bye('expired')), broken(hello('1'), burst('2')))
    double.connections.push(expired, events(hello('2'), burst('3')))
    expect(await take((await open()).stream(), 3)).to.deep.equal(['1', '2', '3'])
    const passes = double.queries.map(({ token, from }) => [token, from])
    expect(passes).to.deep.equal([
      ['pass-1', undefined],
      ...[
        ['pass-2', '1'],
        ['pass-2', '2'],
        ['pass-3', '2'],
      ],
    ])
  })

  it('buys no further pass if the service refuses a new one', async () => {
    const expired = refused(401, { error: 'the token has expired', code: 'bad_token' })
    double.connections.push(expired, expired)
    expect((await failureOf((await open()).stream())).code).to.equal('request_refused')
    expect(double.passes.count).to.equal(1)
  })

  it('continues with the same pass after the client was too slow', async () => {
    double.connections.push(events(hello('0'), burst('1'), bye('too_slow')), events(hello('9'), burst('2')))
    expect(await take((await open()).stream(), 2)).to.deep.equal(['1', '2'])
    expect(double.queries[1]).to.deep.equal({ token: 'pass-1', from: '1' })
  })

  it('uses a pass again after a restart', async () => {
    const spending = createSpendingMemory()
    double.connections.push(events(hello('0'), burst('1')), events(hello('1'), burst('2')))
    await take((await open({ spending })).stream(), 1)
    await take((await open({ spending })).stream({ from: '1' }), 1)
    expect(double.passes.count).to.equal(1)
  })

  it('is shared by streams that run at the same time: they buy one pass', async () => {
    double.connections.push(events(hello('0'), burst('1')), events(hello('0'), burst('1')))
    const client = await open()
    await Promise.all([take(client.stream(), 1), take(client.stream(), 1)])
    expect(double.passes.count).to.equal(1)
  })

  for (const [status, code] of [
    [400, 'bad_cursor'],
    [410, 'cursor_too_old'],
  ] as const)
    it(`fails with the oldest cursor if the service refuses its cursor with ${status}`, async () => {
      double.connections.push(refused(status, { error: 'the oldest is 7', code, oldest: '7' }))
      const error = await failureOf((await open()).stream({ from: '5' }))
      expect(error.code).to.equal('cursor_refused')
      expect(error.message).to.contain('5').and.contain('the oldest is 7')
      expect(error.context).to.deep.equal({ code, cursor: '5', oldest: '7' })
    })

  it('fails at once if the stream or the sale of passes is switched off', async () => {
    const off = refused(503, { error: 'switched off', code: 'stream_disabled' })
    double.connections.push(off)
    expect((await failureOf((await open()).stream())).message).to.contain('switched off')
    expect(double.queries).to.have.length(1)
    double.sales.push(off)
    expect((await failureOf((await open()).stream())).message).to.contain('switched off')
    expect(double.queries).to.have.length(1)
  })

  it('waits while no pass is sold, and fails if the pass costs more than the limit', async () => {
    double.sales.push(refused(503, { error: 'x', code: 'warming_up' }), (response) => void response.destroy())
    double.connections.push(events(hello('0'), burst('1')))
    expect(await take((await open()).stream(), 1)).to.deep.equal(['1'])
    expect(clock.world.slept).to.deep.equal([3_000, 6_000])
    const accepts = [offered({ amount: '500000' })]
    double.sales.push((response) => {
      const required = { x402Version: 2, resource: { url: 'https://data.example/' }, accepts }
      response.writeHead(402, { 'PAYMENT-REQUIRED': encodePaymentRequiredHeader(required) }).end()
    })
    expect((await failureOf((await open()).stream())).code).to.equal('spend_limit')
  })

  it('fails at an event that is longer than a megabyte', async () => {
    double.connections.push(events(hello('0'), `data: ${'x'.repeat(1_100_000)}`))
    expect((await failureOf((await open()).stream())).message).to.contain('longer than 1048576')
  })

  it('ends when its signal or its client ends it, and when the caller stops reading', async () => {
    const stopping = new AbortController()
    const client = await open()
    double.connections.push(events(hello('0'), burst('1')), events(hello('0'), burst('1')))
    const cursors: unknown[] = []
    for await (const { cursor } of client.stream({ signal: stopping.signal })) {
      cursors.push(cursor)
      stopping.abort()
    }
    expect(getEventListeners(stopping.signal, 'abort'), 'listeners that are left').to.deep.equal([])
    for await (const { cursor } of client.stream()) {
      cursors.push(cursor)
      void client.close()
    }
    expect(cursors).to.deep.equal(['1', '1'])
  })

  it('resumes a pass that was paid and lost before a restart', async () => {
    const spending = createSpendingMemory()
    const lost = { name: 'launch-data-lost', path: '/v1/stream/pass', usdMicros: 500_000, payment: 'x' }
    const kept = { day: '2026-11-28', spentUsdMicros: 0, payTo: null, passToken: null }
    await spending.save({ ...kept, open: [{ ...lost, signedAtMs: clock.nowMs() }] })
    double.connections.push(events(hello('0'), burst('1')))
    const client = await open({ spending })
    await take(client.stream(), 1)
    expect(client.open()).to.deep.equal([])
    expect(client.spent().settledUsdc).to.equal(0.5)
  })
})
