/** The client with the real service. Its payments go to a facilitator that moves no money. */
import { expect } from 'chai'
import { openLaunchDataClient } from '../../../api/client/client.ts'
import { chainAStage } from '../../../schemas/chain-a/stage.ts'
import { address, buildBurst, buildTick } from '../../projections/derived-log.ts'
import { edgeOfTests } from '../edge.ts'
import { optionsFor } from './shop-double.ts'

describe('a client and the service', () => {
  const edge = edgeOfTests()
  const open = () => openLaunchDataClient(optionsFor(edge.url, { limits: { perCallUsdc: 0.5, perDayUsdc: 1 } }))

  it('trade answers with the types of the route, for one transfer each', async () => {
    const client = await open()
    const { answer, receipt } = await client.get('/v1/rh/bursts/live', { tier: 'all', minutes: 60 })
    expect(answer.bursts.map(({ tier }) => tier)).to.deep.equal(['main'])
    expect([...edge.double.transfers.values()].at(-1)).to.equal(receipt?.transaction)
    await client.close()
  })

  it('settle a payment one time when the facilitator loses its answer', async () => {
    const before = edge.double.transfers.size
    edge.double.settleFaults.push('dropAfterBroadcast')
    const client = await open()
    await client.get('/v1/rh/bursts/live')
    expect(edge.double.transfers.size).to.equal(before + 1)
    await client.close()
  })

  it('stream events, and one pass pays for several streams', async () => {
    const client = await open()
    for (let turn = 0; turn < 2; turn++) {
      const publishing = setInterval(() => publish(edge.nowMs), 20)
      for await (const event of client.stream({ types: ['burst'] })) {
        expect('pool' in event.row && event.row.pool).to.equal(address(1))
        expect(event.cursor).to.be.a('string')
        break
      }
      clearInterval(publishing)
    }
    expect(client.spent()).to.include({ settledUsdc: 0.5, atRiskUsdc: 0 })
    await client.close()
  })
  const publish = (atMs: number) =>
    edge.stream.onTick({
      stage: chainAStage,
      partition: 0,
      tick: buildTick({ knownAtMs: atMs + 100 }),
      records: [
        { key: address(1), record: buildBurst({ pool: address(1), atMs }), offset: 7, publishedAtMs: atMs + 107 },
      ],
      nextOffset: 9,
    })
})
