/**
 * Tests how the client handles impossible answers. A real registry cannot be made to give them, so a plain
 * server does.
 */
import { expect } from 'chai'
import { createConfluentRegistry } from '../../../../infra/codec/registry/confluent-registry.ts'
import { isOperationError } from '../../../../infra/errors.ts'
import { curveTraded, swap } from '../../../../schemas/chain-a/facts.ts'
import { type PlainServer, sendText, startPlainServer } from '../../../support/sockets/plain-server.ts'

describe('a schema registry that answers what cannot be', () => {
  let server: PlainServer
  /**
   * The next answers, one per request. When none is left, the registry answers correctly, and the schema has
   * the id 7.
   */
  let odd: unknown[]
  let askedCount: number

  const honest = (path: string | undefined): object =>
    path?.startsWith('/schemas/ids/7') ? { schema: JSON.stringify(swap) } : { id: 7, version: 1 }

  before(async () => {
    server = await startPlainServer((request, response) => {
      askedCount++
      request.resume().once('end', () => {
        const answer = odd.length > 0 ? odd.shift() : honest(request.url)
        if (answer === 'endless') return void sendText(response)
        response.setHeader('content-type', 'application/json')
        response.end(JSON.stringify(answer))
      })
    })
  })
  after(() => server.stop())
  beforeEach(() => {
    ;[odd, askedCount] = [[], 0]
  })

  const open = (patienceMs = 30_000) => createConfluentRegistry({ url: server.url, patienceMs })

  for (const [name, answer] of [
    ['a text', 'seven'],
    ['nothing', null],
    ['no id', {}],
    ['an id that is a text', { id: '7' }],
    ['a fraction', { id: 1.5 }],
    ['no number of 32 bits', { id: 1e300 }],
    ['text without an end', 'endless'],
  ] as const)
    it(`is asked again for an id where it gives ${name}`, async () => {
      odd = [answer]
      expect(await (await open()).register('s', swap)).to.equal(7)
    })

  it('is asked again for an id that is that of another schema', async () => {
    odd = [{ id: 8 }, { schema: JSON.stringify(curveTraded) }]
    expect(await (await open()).register('s', swap)).to.equal(7)
    expect(askedCount).to.equal(4)
  })

  for (const answer of [null, {}, { schema: 12 }, { schema: '{' }, { schema: '"string"' }, { schema: 'null' }])
    it(`is asked again for a schema where it gives ${JSON.stringify(answer)}`, async () => {
      odd = [answer]
      expect(await (await open()).fetch(7)).to.deep.equal(swap)
    })

  it('counts as away where it goes on like that', async () => {
    odd = Array.from({ length: 100 }, () => ({ id: 'x' }))
    const failure = await (await open(300)).register('s', swap).catch((error: unknown) => error)
    expect(isOperationError(failure, 'registry_unreachable')).to.equal(true)
    expect((failure as Error).message).to.include('sends an invalid answer')
  })
})
