/** Tests the list of chains from which the program is composed. */
import { expect } from 'chai'
import { examplePathOf, routesOf } from '../../api/products.ts'
import { routeIdOf } from '../../api/route.ts'
import { createSources } from '../../api/sources.ts'
import type { Database } from '../../infra/clickhouse/database.ts'
import { readConfig } from '../../infra/config.ts'
import { projections } from '../../projections/projections.ts'
import { routeAt } from '../support/payments/paid-routes.ts'
import { paid } from './spec/routes.ts'

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
    const sold = Object.keys(paid).filter((path) => path !== '/v1/stream/pass')
    expect(routes.map((route) => routeIdOf(route).slice(4))).to.deep.equal(sold)
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
