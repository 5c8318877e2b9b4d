import type { RequestListener } from 'node:http'
import { expect } from 'chai'
import { boundedFetch } from '../../infra/bounded-fetch.ts'
import { type PlainServer, sendText, startPlainServer } from '../support/sockets/plain-server.ts'

const bytesMax = 100_000

describe('a fetch from a server that may send anything', () => {
  const servers: PlainServer[] = []
  const serve = async (answer: RequestListener) => {
    const server = await startPlainServer(answer)
    servers.push(server)
    return server.url
  }
  afterEach(async () => {
    for (const { stop } of servers.splice(0)) await stop()
  })

  /** Returns the status and the length of the text, or the innermost reason of the failure. */
  const outcomeOf = (url: string, init?: RequestInit) =>
    boundedFetch(bytesMax)(url, init).then(
      async (response) => `${response.status} ${(await response.text()).length}`,
      (error: Error) => (error.cause instanceof Error ? error.cause.message : error.message),
    )

  for (const [name, bytes, outcome] of [
    ['as long as it may be', bytesMax, `200 ${bytesMax}`],
    ['a byte longer', bytesMax + 1, `the answer is larger than ${bytesMax} bytes`],
  ] as const)
    it(`reads an answer that is ${name}`, async () => {
      expect(await outcomeOf(await serve((_, response) => response.end('x'.repeat(bytes))))).to.equal(outcome)
    })

  it('gives the status and the headers of the answer, also of one without a body', async () => {
    const url = await serve((_, response) => response.writeHead(204, { 'retry-after': '7' }).end())
    const response = await boundedFetch(bytesMax)(url)
    expect([response.status, response.headers.get('retry-after')]).to.deep.equal([204, '7'])
  })

  it('hangs up on an answer without an end', async () => {
    let sent: Promise<number> | undefined
    const url = await serve((_, response) => {
      sent = sendText(response)
    })
    expect(await outcomeOf(url)).to.equal(`the answer is larger than ${bytesMax} bytes`)
    // The sent bytes include the socket buffers of the system.
    expect(await sent).to.be.lessThan(64 * 1_048_576)
  })

  it('gives up an answer that never ends, when its signal says so', async () => {
    const stop = new AbortController()
    const url = await serve((_, response) => {
      response.write('the beginning')
      setImmediate(() => stop.abort(new TypeError('the time is up')))
    })
    expect(await outcomeOf(url, { signal: stop.signal })).to.equal('the time is up')
  })

  for (const status of [301, 302, 303, 307, 308])
    it(`does not follow the redirect ${status}`, async () => {
      const heard: string[] = []
      const other = await serve((request, response) => {
        heard.push(String(request.url))
        response.end('here')
      })
      const url = await serve((_, response) => response.writeHead(status, { location: other }).end())
      expect(await outcomeOf(url, { method: 'POST', body: 'a signed payment' })).to.equal('unexpected redirect')
      expect(heard).to.deep.equal([])
    })
})
