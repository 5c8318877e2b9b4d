import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { expect } from 'chai'
import { messageBytesMax } from '../../../api/mcp/read-message.ts'
import { bodyOf, edgeOfTests } from '../edge.ts'
import { openClient } from './edge.ts'

const ping = { jsonrpc: '2.0', id: 1, method: 'ping' }
const takesBoth = { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream' }

describe('MCP over HTTP', () => {
  const edge = edgeOfTests()
  let addressCount = 0
  /** Posts from a new address. */
  const post = (body: unknown, headers: Readonly<Record<string, string>> = {}) => {
    addressCount += 1
    return edge.get('/mcp', {
      method: 'POST',
      headers: { ...takesBoth, 'X-Forwarded-For': `198.18.0.${addressCount}`, ...headers },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    })
  }
  const refusalOf = async (response: Promise<Response> | Response) => {
    const answer = await response
    const body = await bodyOf(answer)
    expect(body).to.have.keys('error', 'code', 'docs')
    expect(answer.headers.get('access-control-allow-origin') ?? '*').to.equal('*')
    return [answer.status, body.code]
  }

  it('answers a message of an older client without a session, and none that asks for no answer', async () => {
    const answer = await post(ping)
    expect(answer.headers.get('mcp-session-id')).to.equal(null)
    expect(await answer.text()).to.include('"result":{}')
    expect((await post({ jsonrpc: '2.0', method: 'notifications/initialized' })).status).to.equal(202)
  })

  for (const method of ['GET', 'DELETE', 'HEAD', 'PUT'])
    it(`has nothing for ${method}`, async () => {
      const answer = await edge.get('/mcp', { method, headers: { Accept: 'text/event-stream' } })
      expect([answer.status, answer.headers.get('allow')]).to.deep.equal([405, 'POST, OPTIONS'])
      if (method !== 'HEAD') expect((await bodyOf(answer)).code).to.equal('method_not_allowed')
    })

  describe('refuses a message', () => {
    const nested = (depth: number) =>
      `{"jsonrpc":"2.0","id":1,"method":"ping","params":${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}}`
    const long = JSON.stringify({ ...ping, params: { _meta: { text: 'x'.repeat(messageBytesMax) } } })

    for (const [what, body] of Object.entries({
      'that is one of many': [ping, ping],
      'that is an empty array': [],
      'that is a number': 7,
      'that is null': 'null',
      'that is not JSON': '{"jsonrpc":',
      'that is empty': '',
      'that is nested by the thousand': nested(5_000),
    }))
      it(what, async () => {
        expect(await refusalOf(post(body))).to.deep.equal([400, 'bad_message'])
      })

    it('that is nested deeper than 32, and none for brackets in a text', async () => {
      const statusOf = async (body: string) => (await post(body)).status
      expect([await statusOf(nested(31)), await statusOf(nested(32))]).to.deep.equal([200, 400])
      const text = '[{"\\'.repeat(5_000)
      expect(await statusOf(JSON.stringify({ ...ping, params: { _meta: { text, also: [text] } } }))).to.equal(200)
      expect(await statusOf(JSON.stringify({ ...ping, params: { _meta: { all: Array(100).fill([{}]) } } }))).to.equal(
        200,
      )
    })

    it('that is longer than 64 KB, whether it says so or not', async () => {
      expect(await refusalOf(post(long))).to.deep.equal([413, 'message_too_long'])
      expect((await post(JSON.stringify(ping).padEnd(messageBytesMax))).status).to.equal(200)
      const { url } = await edge.get('/mcp')
      const chunked = request(url, { method: 'POST', headers: takesBoth })
      chunked.on('error', () => {})
      chunked.write(long)
      const [answer] = (await once(chunked, 'response')) as [IncomingMessage]
      answer.resume()
      expect(answer.statusCode).to.equal(413)
      chunked.destroy()
    })

    it('that is not said to be JSON, in the words of the protocol', async () => {
      expect((await post(ping, { 'Content-Type': 'text/plain' })).status).to.equal(415)
    })
  })

  it('takes a message whose sender waits to be told to go on', async () => {
    const { url } = await edge.get('/mcp')
    const asked = request(url, { method: 'POST', headers: { ...takesBoth, Expect: '100-continue' } })
    asked.flushHeaders()
    await once(asked, 'continue')
    asked.end(JSON.stringify(ping))
    const [answer] = (await once(asked, 'response')) as [IncomingMessage]
    answer.resume()
    expect(answer.statusCode).to.equal(200)
  })

  it('takes 60 messages a minute of one address, the refused ones among them, and says when to come back', async () => {
    const headers = { 'X-Forwarded-For': '198.51.100.60' }
    for (let count = 0; count < 60; count++)
      expect((await post(count % 2 ? ping : [], headers)).status).to.equal(count % 2 ? 200 : 400)
    const limited = await post(ping, headers)
    expect(limited.headers.get('retry-after')).to.equal('60')
    expect(await refusalOf(limited)).to.deep.equal([429, 'rate_limited'])
    expect((await post(ping)).status).to.equal(200)
    expect((await edge.get('/health', { headers })).status).to.equal(200)
    edge.nowMs += 60_000
    expect((await post(ping, headers)).status).to.equal(200)
  })

  it('keeps no stream open for who would hear of changes: there are none', async () => {
    const client = await openClient(edge)
    const answer = await post(
      {
        ...{ jsonrpc: '2.0', id: 5, method: 'subscriptions/listen' },
        params: { notifications: { toolsListChanged: true }, _meta: modernMeta },
      },
      { 'MCP-Protocol-Version': '2026-07-28', 'Mcp-Method': 'subscriptions/listen' },
    )
    expect(answer.status).to.equal(200)
    // `text` resolves only after the whole response has ended.
    expect(await answer.text()).to.include('"id":5')
    await client.close()
  })

  describe('once the service has stopped', () => {
    const stopping = new AbortController()
    const stopped = edgeOfTests({ stopped: stopping.signal })

    it('runs nothing any more', async () => {
      const ask = () => stopped.get('/mcp', { method: 'POST', headers: takesBoth, body: JSON.stringify(ping) })
      expect((await ask()).status).to.equal(200)
      stopping.abort()
      expect((await ask()).status).to.equal(500)
    })
  })

  describe('for a browser', () => {
    it('passes the preflight of a client', async () => {
      const preflight = await edge.get('/mcp', {
        method: 'OPTIONS',
        headers: {
          Origin: 'https://app.example',
          'Access-Control-Request-Method': 'POST',
          'Access-Control-Request-Headers': 'content-type,mcp-protocol-version,mcp-session-id,mcp-method,mcp-name',
        },
      })
      expect(preflight.status).to.equal(204)
      expect(preflight.headers.get('access-control-allow-methods')).to.include('POST')
      const allowed = preflight.headers.get('access-control-allow-headers')?.toLowerCase().split(',')
      expect(allowed).to.include.members([
        'mcp-protocol-version',
        'mcp-session-id',
        'mcp-method',
        'mcp-name',
        'last-event-id',
      ])
    })

    it('lets pages of any origin read what is answered', async () => {
      const answer = await post(ping, { Origin: 'https://app.example' })
      expect([answer.status, answer.headers.get('access-control-allow-origin')]).to.deep.equal([200, '*'])
      expect(answer.headers.get('access-control-expose-headers')).to.include('Mcp-Session-Id')
    })
  })

  describe('of a page that has its name pointed at this machine', () => {
    const guarded = edgeOfTests({ mcp: { hosts: ['mcp.example'], origins: ['https://app.example'] } })
    const ask = async (host: string, headers: Readonly<Record<string, string>> = {}) => {
      const { url } = await guarded.get('/mcp')
      const asked = request(url, { method: 'POST', headers: { ...takesBoth, ...headers, Host: host } })
      asked.end(JSON.stringify(ping))
      const [answer] = (await once(asked, 'response')) as [IncomingMessage]
      const chunks: Buffer[] = []
      for await (const chunk of answer as AsyncIterable<Buffer>) chunks.push(chunk)
      const text = Buffer.concat(chunks).toString()
      return answer.statusCode === 200 ? 200 : [answer.statusCode, (JSON.parse(text) as { code: string }).code]
    }

    it('is refused: only this machine, the public host and those configured are served', async () => {
      for (const host of [
        'evil.example',
        '127.0.0.1.evil.example',
        'evil@127.0.0.1.example',
        'data.example.evil',
        'a b',
      ])
        expect(await ask(host), host).to.deep.equal([403, 'forbidden'])
      for (const host of [
        'data.example',
        'DATA.example:8402',
        'localhost:1',
        '127.0.0.1',
        '[::1]:8402',
        'mcp.example:9',
      ])
        expect(await ask(host), host).to.equal(200)
    })

    it('is refused where a list of origins is configured and does not name it', async () => {
      expect(await ask('localhost', { Origin: 'https://evil.example' })).to.deep.equal([403, 'forbidden'])
      expect(await ask('localhost', { Origin: 'https://app.example.evil' })).to.deep.equal([403, 'forbidden'])
      expect(await ask('localhost', { Origin: 'null' })).to.deep.equal([403, 'forbidden'])
      expect(await ask('localhost', { Origin: 'https://app.example' })).to.equal(200)
      expect(await ask('localhost')).to.equal(200)
    })
  })
})

const modernMeta = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1.0.0' },
  'io.modelcontextprotocol/clientCapabilities': {},
}
