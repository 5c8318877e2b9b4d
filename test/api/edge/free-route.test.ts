import { expect } from 'chai'
import { fixedPool } from '../../support/fixed-queries.ts'
import { edgeOfTests } from '../edge.ts'

describe('a frozen document', () => {
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

  it('changes within a minute if the service tracks another subject', async () => {
    const exampleOf = async () => {
      const document = (await (await edge.get(path)).json()) as Document
      return document.paths['/v1/rh/pools/{id}/flow']?.get.parameters[0]?.example
    }
    const [etag, before] = [await etagOf(), await exampleOf()]
    const pool = `0x${'12'.repeat(32)}`
    edge.state.pools = [{ ...fixedPool, pool }]
    expect([await etagOf(), await exampleOf()]).to.deep.equal([etag, before])
    edge.nowMs += 60_000
    expect(await exampleOf()).to.equal(pool)
    expect(await etagOf()).not.to.equal(etag)
  })
})

type Document = Readonly<{
  paths: Readonly<
    Record<string, Readonly<{ get: Readonly<{ parameters: readonly Readonly<{ example?: string }>[] }> }>>
  >
}>
