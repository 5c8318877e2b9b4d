/** The chains that are sold, as the program composes them. */
import { expect } from 'chai'
import { examplePathOf, routesOf } from '../../api/products.ts'
import { createSources } from '../../api/sources.ts'
import type { Database } from '../../infra/clickhouse/database.ts'
import { readConfig } from '../../infra/config.ts'
import { projections } from '../../projections/projections.ts'
import { routeAt } from '../support/payments/paid-routes.ts'

const nobody = () => expect.fail('nothing is asked before a request')
const database: Database = { name: 'nobody', query: nobody, insert: nobody, command: nobody, close: nobody }
const ruleIdSecret = 'a secret of the test'
const callerIdSecret = 'another secret of the test'

describe('the chains', () => {
  const chainsOf = (environment: NodeJS.ProcessEnv) =>
    createSources({ config: readConfig(environment), database, ruleIdSecret, callerIdSecret })
  const chains = chainsOf({ CHAIN_A_NAME: 'first', CHAIN_B_NAME: 'second' })

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
      '/v1/rh/token/:addr/verdict',
      '/v1/sol/bursts/live',
      '/v1/sol/bursts/history',
      '/v1/sol/grads/live',
      '/v1/sol/grads/history',
      '/v1/sol/wallets/leaders',
      '/v1/sol/wallets/:addr/copy-stats',
      '/v1/sol/token/:mint/verdict',
      '/v1/sol/calls/live',
      '/v1/sol/calls/outcomes',
      '/v1/sol/callers/leaderboard',
      '/v1/scanner/:mint',
      '/v1/rh/token/:addr/precall',
      '/v1/snapshot',
      '/v1/desk/trades',
    ])
    const [snapshot, trades] = ['/v1/snapshot', '/v1/desk/trades'].map((path) => routeAt(path, routes))
    expect(trades?.dependsOn.map(({ stage }) => stage.name)).to.deep.equal(['chain-a', 'chain-b'])
    expect(snapshot?.dependsOn.map(({ stage }) => stage.name)).to.deep.equal(['chain-a', 'chain-b'])
    expect(snapshot?.needs.map(({ name }) => name)).to.deep.equal(['coin price of chain-a', 'coin price of chain-b'])
    expect(Object.keys(snapshot?.schema.shape ?? {})).to.include.members(['first', 'second'])
  })

  it('leave out a chain that is not there: health, the routes and the snapshot do not wait for it', () => {
    const alone = chainsOf({ CHAIN_A_RPC_URL: 'https://node.example' })
    expect(alone.map(({ stage }) => stage.name)).to.deep.equal(['chain-a'])
    expect(
      routesOf(alone)
        .at(-1)
        ?.dependsOn.map(({ stage }) => stage.name),
    ).to.deep.equal(['chain-a'])
  })

  it('give a newcomer something to buy that is sold', () => {
    const exampleOf = (environment: NodeJS.ProcessEnv) => examplePathOf(routesOf(chainsOf(environment)))
    expect(exampleOf({})).to.equal('/v1/rh/bursts/history?hours=1')
    expect(exampleOf({ CHAIN_B_RPC_URL: 'https://node.example' })).to.equal('/v1/sol/bursts/history?hours=1')
  })
})
