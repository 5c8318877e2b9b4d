import { expect } from 'chai'
import Koa, { type Context } from 'koa'
import { createFailureLog } from '../../../api/http/failure-log.ts'
import {
  clientId,
  createFailureReport,
  crossOrigin,
  guarded,
  rateLimited,
  securityHeaders,
  writeRefusal,
} from '../../../api/http/middleware.ts'
import { refuse } from '../../../api/sale/refusals.ts'
import type { Logger } from '../../../infra/telemetry.ts'

const publicBaseUrl = 'https://data.example'

describe('a client', () => {
  for (const [ip, id] of [
    ['203.0.113.4', '203.0.113.4'],
    ['::ffff:203.0.113.4', '203.0.113.4'],
    ['::FFFF:203.0.113.4', '203.0.113.4'],
    ['2001:db8:0:7:1:2:3:4', '2001:db8:0:7'],
    ['2001:db8:0:7::', '2001:db8:0:7'],
    ['2001:db8:0:7::1', '2001:db8:0:7'],
    ['2001:db8::7:0:0:0:1', '2001:db8:0:7'],
    ['2001:db8::1', '2001:db8:0:0'],
    ['1::2:3:4:5:6:7', '1:0:2:3'],
    ['1:2:3:4:5:6:7::', '1:2:3:4'],
    ['::2:3:4:5:6:7:8', '0:2:3:4'],
    ['::1', '0:0:0:0'],
    ['::', '0:0:0:0'],
    ['64:ff9b::ffff:203.0.113.4', '64:ff9b:0:0'],
    ['', ''],
    ['1:2:3:4:5:6:7:8::', '1:2:3:4'],
    ['1::2:3:4:5:6:7:8:9', '1:2:3:4'],
    ['1:2', '1:2'],
  ] as const)
    it(`at '${ip}' is '${id}'`, () => {
      expect(clientId(ip)).to.equal(id)
    })
})

describe('what every request passes', () => {
  const contextOf = (headers: Readonly<Record<string, string>> = {}, method = 'GET', ip = '203.0.113.4'): Context => {
    const app = new Koa()
    const headersSet = new Map<string, unknown>()
    const response = {
      headersSent: false,
      statusCode: 404,
      setHeader: (name: string, value: unknown) => headersSet.set(name.toLowerCase(), value),
      getHeader: (name: string) => headersSet.get(name.toLowerCase()),
      getHeaders: () => Object.fromEntries(headersSet),
      hasHeader: (name: string) => headersSet.has(name.toLowerCase()),
      removeHeader: (name: string) => headersSet.delete(name.toLowerCase()),
    }
    const request = { method, url: '/some/path', headers, socket: { remoteAddress: ip } }
    return app.createContext(request as never, response as never)
  }

  it('names exactly what a browser may send and see', async () => {
    const preflight = contextOf({ origin: 'https://app.example', 'access-control-request-method': 'GET' }, 'OPTIONS')
    await crossOrigin(preflight, async () => {})
    expect(preflight.response.headers).to.deep.include({
      'access-control-allow-origin': '*',
      'access-control-allow-methods': 'GET,HEAD,POST,OPTIONS',
      'access-control-allow-headers':
        'PAYMENT-SIGNATURE,X-PAYMENT,Access-Control-Expose-Headers,Content-Type,Last-Event-ID,Accept-Signature,MCP-Protocol-Version,Mcp-Session-Id,Mcp-Method,Mcp-Name',
      'access-control-max-age': '86400',
    })
    const plain = contextOf({ origin: 'https://app.example' })
    await crossOrigin(plain, async () => {})
    expect(plain.response.headers).to.deep.include({
      'access-control-allow-origin': '*',
      'access-control-expose-headers':
        'PAYMENT-REQUIRED,PAYMENT-RESPONSE,Retry-After,X-Request-Id,Age,Answer-Cut,Content-Digest,Signature-Input,Signature,Mcp-Session-Id',
    })
  })

  it('lets other pages read the answers, and lets an answer load nothing', async () => {
    const ctx = contextOf()
    await securityHeaders(ctx, async () => {})
    expect(ctx.response.headers).to.deep.include({
      'cross-origin-resource-policy': 'cross-origin',
      'content-security-policy': "default-src 'none';frame-ancestors 'none'",
    })
  })

  it('writes a refusal that no cache keeps, and says when to come back where that is known', () => {
    const ctx = contextOf()
    writeRefusal(ctx, refuse('warming_up', 'not yet', 5), publicBaseUrl)
    expect([ctx.status, ctx.body]).to.deep.equal([
      503,
      { error: 'not yet', code: 'warming_up', docs: 'https://data.example/docs/errors/warming_up' },
    ])
    expect(ctx.response.headers).to.deep.include({ 'cache-control': 'no-store', 'retry-after': '5' })
    const other = contextOf()
    writeRefusal(other, refuse('not_tracked', 'not here'), publicBaseUrl)
    expect(other.status).to.equal(404)
    expect(other.response.headers).to.not.have.property('retry-after')
  })

  describe('that fails', () => {
    const guard = () => {
      const logged: object[] = []
      const logger = { error: (said: object) => void logged.push(said) } as unknown as Logger
      return { logged, guard: guarded(createFailureReport(createFailureLog(logger)), publicBaseUrl) }
    }

    it('is told so with the id under which the cause is logged', async () => {
      const { logged, guard: pass } = guard()
      const ctx = contextOf()
      const failure = new RangeError('of our making')
      await pass(ctx, () => Promise.reject(failure))
      const requestId = ctx.response.get('x-request-id')
      expect(requestId).to.match(/^[0-9a-f-]{36}$/)
      expect(ctx.status).to.equal(500)
      expect(ctx.body).to.deep.equal({
        error: `something failed in the service. Nothing was charged. Try again. The id of this request is ${requestId}`,
        code: 'internal',
        docs: 'https://data.example/docs/errors/internal',
      })
      expect(logged).to.deep.equal([{ err: failure, requestId, method: 'GET', path: '/some/path' }])
    })

    it('is logged twenty times a second', async () => {
      const { now } = performance
      performance.now = () => 1
      const { logged, guard: pass } = guard()
      performance.now = now
      for (let turn = 0; turn < 21; turn++) await pass(contextOf(), () => Promise.reject(new RangeError('again')))
      expect(logged).to.have.length(20)
    })

    it('is not what succeeds', async () => {
      const { logged, guard: pass } = guard()
      const ctx = contextOf()
      await pass(ctx, async () => {
        ctx.body = 'yes'
      })
      expect([ctx.status, ctx.body, logged]).to.deep.equal([200, 'yes', []])
      expect(ctx.response.get('x-request-id')).to.match(/^[0-9a-f-]{36}$/)
    })
  })

  it('is limited by the minute and the address, at IPv6 by its /64, and says when to come back', async () => {
    const clock = { atMs: 1_000_000 }
    const limit = rateLimited(3, { publicBaseUrl, nowMs: () => clock.atMs })
    const ask = async (ip: string) => {
      const ctx = contextOf({}, 'GET', ip)
      let isPassed = false
      await limit(ctx, async () => {
        isPassed = true
      })
      return isPassed ? 'passed' : ctx
    }
    for (const ip of ['2001:db8:0:7::1', '2001:db8:0:7::2', '2001:db8:0:7:8::3'])
      expect(await ask(ip)).to.equal('passed')
    clock.atMs += 19_999
    const refused = await ask('2001:db8:0:7::4')
    expect(refused).to.not.equal('passed')
    if (refused === 'passed') return
    expect([refused.status, refused.body]).to.deep.equal([
      429,
      {
        error:
          'your address sent too many requests. The limit for free routes is 3 requests a minute from one address. Wait, then try again',
        code: 'rate_limited',
        docs: 'https://data.example/docs/errors/rate_limited',
      },
    ])
    expect(refused.response.get('retry-after')).to.equal('41')
    expect(await ask('2001:db8:0:8::1')).to.equal('passed')
    clock.atMs += 40_001
    expect(await ask('2001:db8:0:7::4')).to.equal('passed')
  })
})
