import { expect } from 'chai'
import { OperationError } from '../../../../infra/errors.ts'
import type { Node } from '../../../../ingest/chain-a/node/node.ts'
import { chainAContracts } from '../../../../ingest/chain-a/presets.ts'
import { createMarketReader } from '../../../../ingest/chain-a/price/market-price.ts'
import { poolSelectors } from '../../../../ingest/chain-a/price/pool-state.ts'
import type { Hex } from '../../../../schemas/units.ts'
import { buildAddress, buildHash } from '../../../support/builders/build-facts.ts'

const never = new AbortController().signal
const contracts = chainAContracts('base')
/**
 * This address is above the address of wrapped ETH, so the token is always the second of the two tokens of a
 * pool.
 */
const token = `0x${'f'.repeat(40)}` as Hex
const below = `0x${'0'.repeat(38)}99` as Hex
const v4Pool = buildHash(0xb0)
const v3Pool = buildAddress(0xb3)

const words = (...values: readonly bigint[]): Hex =>
  `0x${values.map((value) => BigInt.asUintN(256, value).toString(16).padStart(64, '0')).join('')}`
const stateOf = (priceTick: number) => (BigInt.asUintN(24, BigInt(priceTick)) << 160n) | (1n << 96n)

type Answers = Readonly<{ slot0?: Hex; liquidity?: Hex } | { failure: OperationError }>

/** Returns a node with the given answers. Other tests read real contracts on a real node. */
function nodeThat(answers: Answers): Node {
  let reads = 0
  const request = async ({ params }: Readonly<{ params: readonly unknown[] }>): Promise<unknown> => {
    if ('failure' in answers) throw answers.failure
    const { data } = params[0] as Readonly<{ data: Hex }>
    if (data.startsWith(poolSelectors['extsload(bytes32)']))
      return (reads++ === 0 ? answers.slot0 : answers.liquidity) ?? '0x'
    if (data === poolSelectors['slot0()']) return answers.slot0 ?? '0x'
    if (data === poolSelectors['liquidity()']) return answers.liquidity ?? '0x'
    return '0x'
  }
  return { hosts: 'node', request: request as Node['request'] }
}

const v3Slot = (priceTick: number) => words(1n << 96n, BigInt(priceTick), 0n, 0n, 0n, 0n, 1n)
const failing = (code: 'node_unreachable' | 'node_refused' | 'node_inconsistent'): Answers => ({
  failure: new OperationError(code, 'the node failed'),
})

describe('a market of chain A without a price', () => {
  type Case = readonly [what: string, answers: Answers, asked: Readonly<{ market: Hex; token?: Hex }>, failure: string]
  const v4 = { market: v4Pool }
  const v3 = { market: v3Pool }
  const cases: readonly Case[] = [
    ['a pool without liquidity', { slot0: words(stateOf(5)), liquidity: words(0n) }, v4, 'nothing_found'],
    ['a pool that does not exist', { slot0: words(0n), liquidity: words(0n) }, v4, 'nothing_found'],
    ['a pool at the end of its prices', { slot0: words(stateOf(887_271)), liquidity: words(1n) }, v4, 'nothing_found'],
    ['an older pool without liquidity', { slot0: v3Slot(5), liquidity: words(0n) }, v3, 'nothing_found'],
    ['an address that is no market', {}, v3, 'nothing_found'],
    ['no pool manager', {}, v4, 'node_inconsistent'],
    [
      'a pool whose sides are not known',
      { slot0: words(stateOf(5)), liquidity: words(1n) },
      { ...v4, token: below },
      'node_inconsistent',
    ],
    ['a contract that answers with too little', { slot0: '0x01', liquidity: '0x01' }, v4, 'node_refused'],
    ['a node that is away', failing('node_unreachable'), v4, 'node_unreachable'],
    ['a node that refuses', failing('node_refused'), v3, 'node_refused'],
    ['a node that contradicts itself', failing('node_inconsistent'), v3, 'node_inconsistent'],
  ]
  for (const [what, answers, asked, failure] of cases)
    it(`says ${failure === 'nothing_found' ? 'that there is none' : 'nothing of the token'}: ${what}`, async () => {
      const read = createMarketReader({ node: nodeThat(answers), contracts })
      const found = await read({ token, atMs: 0, ...asked }, never).then(
        () => 'a price',
        ({ code }: OperationError) => code,
      )
      expect(found).to.equal(failure)
    })

  it('has one in a pool that has all of it', async () => {
    const read = createMarketReader({
      node: nodeThat({ slot0: words(stateOf(5)), liquidity: words(1n) }),
      contracts,
    })
    expect((await read({ token, atMs: 0, market: v4Pool }, never)).px).to.be.greaterThan(0)
  })

  it('is read at the newest block of the node', async () => {
    const node = nodeThat({ slot0: words(stateOf(5)), liquidity: words(1n) })
    const blocks: unknown[] = []
    const request = (question: Readonly<{ params: readonly unknown[] }>, signal: AbortSignal): Promise<unknown> => {
      blocks.push(question.params[1])
      return node.request(question as never, signal)
    }
    const read = createMarketReader({ node: { ...node, request: request as Node['request'] }, contracts })
    await read({ token, atMs: 0, market: v4Pool }, never)
    expect(blocks).to.have.lengthOf(2)
    expect(new Set(blocks)).to.deep.equal(new Set(['latest']))
  })
})
