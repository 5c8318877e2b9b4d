import type { IncomingHttpHeaders, RequestListener } from 'node:http'
import { expect } from 'chai'
import { askJson, type JsonQuestion } from '../../ingest/ask-json.ts'
import { type PlainServer, sendText, startPlainServer } from '../support/sockets/plain-server.ts'

const never = new AbortController().signal

describe('a question to a provider of JSON', () => {
  let server: PlainServer
  let answer: RequestListener
  let heard: IncomingHttpHeaders[]

  beforeEach(async () => {
    heard = []
    server = await startPlainServer((request, response) => {
      heard.push(request.headers)
      answer(request, response)
    })
  })
  afterEach(() => server.stop())

  const ask = (options: Partial<JsonQuestion> = {}, signal = never) =>
    askJson(
      {
        address: new URL(`${server.url}/a?key=secret`),
        name: 'the provider',
        limitMs: 60_000,
        bytesMax: 100_000,
        ...options,
      },
      signal,
    )
  const failureOf = (asked: Promise<unknown>) =>
    asked.then(
      () => expect.fail('it was answered'),
      (error: unknown) => error,
    )

  it('asks for JSON, and gives what the answer says', async () => {
    answer = (_, response) => response.end('{"a":[1,null]}')
    expect(await ask()).to.deep.equal({ a: [1, null] })
    expect(heard.map(({ accept }) => accept)).to.deep.equal(['application/json'])
  })

  const failures: readonly (readonly [
    what: string,
    RequestListener,
    options: Partial<JsonQuestion>,
    message: string,
  ])[] = [
    [
      'it is refused',
      (_, response) => response.writeHead(403).end('secret'),
      {},
      'the provider answered with status 403',
    ],
    ['the answer is no JSON', (_, response) => response.end('{"secret'), {}, 'the answer of the provider is not JSON'],
    ['the answer is empty', (_, response) => response.end(), {}, 'the answer of the provider is not JSON'],
    [
      'the answer is too large',
      (_, response) => void sendText(response),
      {},
      'the answer of the provider is larger than 100000 bytes',
    ],
    ['the connection breaks', (request) => request.socket.destroy(), {}, 'the provider did not answer'],
    [
      'the answer breaks off',
      (request, response) => {
        response.writeHead(200, { 'content-length': '9' }).write('{', () => request.socket.destroy())
      },
      {},
      'the provider did not answer',
    ],
    ['no answer comes in time', () => {}, { limitMs: 20 }, 'the provider did not answer in 20 ms'],
    [
      'the answer does not end in time',
      (_, response) => void response.write('{'),
      { limitMs: 20 },
      'the provider did not answer in 20 ms',
    ],
  ]
  for (const [what, answered, options, message] of failures)
    it(`fails without the key and the answer if ${what}`, async () => {
      answer = answered
      const failure = await failureOf(ask(options))
      expect(failure).to.include({ code: 'provider_failed', message })
      expect(JSON.stringify(failure)).to.not.contain('secret')
    })

  it('fails with the status, and with the wait that the provider asks for', async () => {
    answer = (_, response) => response.writeHead(429, { 'retry-after': '7' }).end()
    expect(await failureOf(ask())).to.deep.include({ context: { status: 429, retryAfter: '7' } })
    answer = (_, response) => response.writeHead(500).end()
    expect(await failureOf(ask())).to.deep.include({ context: { status: 500, retryAfter: null } })
  })

  it('ends with the reason of its signal, before and after the answer has begun', async () => {
    for (const begin of [false, true]) {
      const stop = new AbortController()
      const reason = new RangeError('stopped')
      answer = (_, response) => {
        if (begin) response.write('{')
        setImmediate(() => stop.abort(reason))
      }
      expect(await failureOf(ask({}, stop.signal))).to.equal(reason)
    }
    expect(await failureOf(ask({}, AbortSignal.abort(new RangeError('before'))))).to.include({ message: 'before' })
  })
})
