import { expect } from 'chai'
import { pauseMs } from '../../../api/client/backoff.ts'
import { readConnection } from '../../../api/client/connection.ts'
import { retryAfterMsOf, urlOf } from '../../../api/client/request.ts'
import { isOperationError } from '../../../infra/errors.ts'

describe('the pause before the next try', () => {
  const pause = { baseMs: 250, maxMs: 15_000 }
  for (const [turn, atLeastMs, random, expected] of [
    [0, null, 0, 250],
    [1, null, 0, 500],
    [3, null, 0, 2_000],
    [0, null, 1, 375],
    [0, 4_000, 0, 4_000],
    [0, 4_000, 0.5, 5_000],
    [20, null, 0, 15_000],
    [10_000, null, 0, 15_000],
    [0, 3_600_000, 0, 15_000],
  ] as const)
    it(`is ${expected} ms in turn ${turn}, if the service asks for ${atLeastMs} and the chance is ${random}`, () => {
      expect(pauseMs({ ...pause, turn, atLeastMs }, () => random)).to.equal(expected)
    })

  for (const [text, expected] of [
    ['7', 7_000],
    ['0', 0],
    ['-1', null],
    ['soon', null],
    ['9999999', null],
    [null, null],
  ] as const)
    it(`is read from Retry-After: ${text}`, () => {
      expect(retryAfterMsOf(new Headers(text === null ? {} : { 'retry-after': text }))).to.equal(expected)
    })
})

describe('the address of a request', () => {
  const baseUrl = new URL('http://data.example')
  it('is on the server of the service', () => {
    expect(String(urlOf({ baseUrl }, '/v1/x?y=1'))).to.equal('http://data.example/v1/x?y=1')
    for (const path of ['//other.example/x', 'https://data.example/x', 'http://other.example'])
      expect(() => urlOf({ baseUrl }, path), path).to.throw('Begin it with one slash')
  })
})

describe('a connection of the stream', () => {
  it('is ended after a silence, also in the middle of an event', async () => {
    const connection = new AbortController()
    const body = new ReadableStream<Uint8Array>({
      start(controller) {
        controller.enqueue(new TextEncoder().encode('data: one\n\ndata: tw'))
        connection.signal.addEventListener('abort', () => controller.error(new TypeError('aborted')))
      },
    })
    const reading = { onRetry: () => {}, idleMs: 20, abort: () => connection.abort() }
    const events: string[] = []
    const error = await (async () => {
      for await (const { data } of readConnection(body, reading)) events.push(data)
    })().catch((cause: unknown) => cause)
    expect(events).to.deep.equal(['one'])
    expect(error).to.be.instanceOf(TypeError)
    expect(isOperationError(error)).to.equal(false)
  })
})
