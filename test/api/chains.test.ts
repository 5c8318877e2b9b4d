/** The chains that are sold, as the program composes them. */
import { expect } from 'chai'
import { createChains, routesOf } from '../../api/routes.ts'
import type { Database } from '../../infra/clickhouse/database.ts'
import { projections } from '../../projections/projections.ts'

const nobody = () => expect.fail('nothing is asked before a request')
const database: Database = { name: 'nobody', query: nobody, insert: nobody, command: nobody, close: nobody }
const ruleIdSecret = 'a secret of the test'

describe('the chains', () => {
  const chains = createChains({
    database,
    chainA: { chainName: 'first', launchpadKey: 'launchCurve', ruleIdSecret },
    chainB: { chainName: 'second', ruleIdSecret },
  })

  it('have tables for every stage that they answer from', () => {
    expect(chains.map(({ stage }) => stage.name)).to.deep.equal(projections.map(({ stage }) => stage.name))
  })

  it('have their routes in the order of the list, and one snapshot of both', () => {
    const routes = routesOf(chains)
    expect(routes.map(({ pattern }) => pattern)).to.deep.equal([
      '/v1/rh/bursts/live',
      '/v1/rh/bursts/history',
      '/v1/rh/pools/new',
      '/v1/rh/pools/:id/flow',
      '/v1/rh/token/:addr/rugcheck',
      '/v1/rh/crews',
      '/v1/sol/bursts/live',
      '/v1/sol/bursts/history',
      '/v1/sol/grads/live',
      '/v1/sol/grads/history',
      '/v1/snapshot',
    ])
    const snapshot = routes.at(-1)
    expect(snapshot?.dependsOn.map(({ stage }) => stage.name)).to.deep.equal(['chain-a', 'chain-b'])
    expect(snapshot?.needs.map(({ name }) => name)).to.deep.equal(['coin price of chain-a', 'coin price of chain-b'])
    expect(Object.keys(snapshot?.schema.shape ?? {})).to.include.members(['first', 'second'])
  })
})
