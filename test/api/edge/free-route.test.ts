import { expect } from 'chai'
import { edgeOfTests } from '../edge.ts'

describe('a document that never changes while the service runs', () => {
  const edge = edgeOfTests()
  const path = '/v1/openapi.json'
  const etagOf = async () => (await edge.get(path)).headers.get('etag') ?? expect.fail('it has no ETag')

  const wanted: readonly (readonly [what: string, header: (etag: string) => string, status: number])[] = [
    ['has it', (etag) => etag, 304],
    ['has it, compressed on the way', (etag) => `W/${etag}`, 304],
    ['has it beside others', (etag) => `"a", W/"b",${etag} , "c"`, 304],
    ['has others only', () => '"a", "b"', 200],
    ['has a part of its name', (etag) => etag.slice(0, -2), 200],
    ['says nothing', () => '', 200],
  ]
  for (const [what, header, status] of wanted)
    it(`is answered with ${status} to a client that ${what}`, async () => {
      const etag = await etagOf()
      const answer = await edge.get(path, { headers: { 'If-None-Match': header(etag), 'Cache-Control': 'no-cache' } })
      expect([answer.status, answer.headers.get('etag')]).to.deep.equal([status, etag])
      expect((await answer.text()).length > 0).to.equal(status === 200)
    })
})
