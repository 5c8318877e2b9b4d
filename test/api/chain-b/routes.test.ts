import { expect } from 'chai'
import { routeIdOf } from '../../../api/route.ts'
import { paid } from '../spec/routes.ts'
import { undescribed } from '../undescribed.ts'
import { chainB } from './edge.ts'

describe('the routes of chain B', () => {
  const { routes, snapshot } = chainB

  it('are of chain B alone, and sell no older data than the specification says', () => {
    for (const route of routes)
      expect(
        route.dependsOn.map(({ stage, maxAgeMs }) => [stage.name, maxAgeMs / 1000]),
        route.pattern,
      ).to.deep.equal([['chain-b', paid[routeIdOf(route).slice(4)]?.maxAgeSec]])
  })

  it('say of every field of their answers when it is known and what it is', () => {
    for (const { pattern, schema } of routes) expect(undescribed(schema, pattern)).to.deep.equal([])
    if (snapshot === null) expect.fail('chain B has no object in the snapshot')
    expect(undescribed(snapshot.schema, 'snapshot')).to.deep.equal([])
  })
})
