import { expect } from 'chai'
import {
  type Address,
  createPublicClient,
  custom,
  encodeAbiParameters,
  encodeEventTopics,
  erc20Abi,
  type Hex,
  numberToHex,
  pad,
  parseAbiItem,
} from 'viem'
import { createEvmProbe } from '../../../../api/payments/evm/probe.ts'

const [asset, otherAsset, payTo, payer, stranger] = ['a5', 'a6', 'b5', 'c5', 'd5'].map(
  (byte) => `0x${byte.repeat(20)}` as Address,
) as [Address, Address, Address, Address, Address]
const nonce = `0x${'e5'.repeat(32)}` as const
const [first, second] = [`0x${'01'.repeat(32)}`, `0x${'02'.repeat(32)}`] as const
const usdMicros = 10_000

/** A log of a transaction. Its place in the block is the place in the list. */
type Logged = ReturnType<typeof logOf>
type Receipt = Readonly<{ isReverted?: boolean; logs: readonly Logged[] }>
type Moved = Readonly<{ token?: Address; from?: Address; to?: Address; value?: bigint }>
type Use = Readonly<{ token?: Address; by?: Address; nonce?: Hex }>
type Range = readonly [from: number, to: number]

const used = parseAbiItem('event AuthorizationUsed(address indexed authorizer, bytes32 indexed nonce)')

const logOf = (address: Address, topics: unknown, data: Hex) => ({
  ...{ address, topics, data, blockNumber: '0x1', blockHash: nonce, logIndex: '0x0' },
  ...{ transactionHash: first, transactionIndex: '0x0', removed: false },
})
const amount = (value: bigint) => encodeAbiParameters([{ type: 'uint256' }], [value])

const transfer = ({ token = asset, from = payer, to = payTo, value = BigInt(usdMicros) }: Moved = {}) =>
  logOf(token, encodeEventTopics({ abi: erc20Abi, eventName: 'Transfer', args: { from, to } }), amount(value))

/** Returns the log of an approval, which has the form of a transfer. */
const approval = () =>
  logOf(
    asset,
    encodeEventTopics({ abi: erc20Abi, eventName: 'Approval', args: { owner: payer, spender: payTo } }),
    amount(BigInt(usdMicros)),
  )

const use = ({ token = asset, by = payer, nonce: of = nonce }: Use = {}) =>
  logOf(token, encodeEventTopics({ abi: [used], args: { authorizer: by, nonce: of } }), '0x')

/** Returns a transaction that makes the payment. */
const paying = (moved: Moved = {}): Receipt => ({ logs: [use(), transfer(moved)] })

/** The number of logs that earlier transactions of the block have. */
const earlierLogs = 4

/**
 * Starts a node whose newest block has the time `headAtSec`. The node has one block every `blockSec` seconds.
 */
function startNode(
  world: Readonly<{
    head: number
    headAtSec: number
    blockSec?: number
    /** The hashes of the transactions that used the authorization, by block number. */
    usedIn?: Readonly<Record<number, readonly (Hex | null)[]>>
    receipts?: Readonly<Record<Hex, Receipt>>
    /** The hash of the transaction that the facilitator reported. */
    told?: Hex
  }>,
) {
  const seen = { ranges: [] as Range[], filters: [] as unknown[], blocks: [] as (number | 'latest')[] }
  const getBlock = (at: string) => {
    const number = at === 'latest' ? world.head : Number(at)
    seen.blocks.push(at === 'latest' ? at : number)
    const timestamp = numberToHex(Math.floor(world.headAtSec - (world.head - number) * (world.blockSec ?? 2)))
    return { number: numberToHex(number), timestamp, transactions: [] }
  }
  const getLogs = ({ fromBlock, toBlock, ...filter }: { fromBlock: Hex; toBlock: Hex }) => {
    const [from, to] = [Number(fromBlock), Number(toBlock)]
    seen.ranges.push([from, to])
    seen.filters.push(filter)
    return Object.entries(world.usedIn ?? {})
      .filter(([block]) => Number(block) >= from && Number(block) <= to)
      .flatMap(([, hashes]) => hashes)
      .map((transactionHash) => ({
        ...logOf(asset, encodeEventTopics({ abi: [used], args: { authorizer: payer, nonce } }), '0x'),
        transactionHash,
      }))
  }
  const getReceipt = (hash: Hex) => {
    const receipt = world.receipts?.[hash]
    if (!receipt) return null
    const { isReverted = false } = receipt
    const logs = receipt.logs.map((log, index) => ({ ...log, logIndex: numberToHex(earlierLogs + index) }))
    return { transactionHash: hash, status: isReverted ? '0x0' : '0x1', logs }
  }
  const methods: Readonly<Record<string, (param: never) => unknown>> = {
    eth_getBlockByNumber: getBlock,
    eth_getLogs: getLogs,
    eth_getTransactionReceipt: getReceipt,
  }
  const request = async ({ method, params }: { method: string; params: readonly never[] }) =>
    methods[method]?.(params[0] as never)
  const client = createPublicClient({ transport: custom({ request }, { retryCount: 0 }) })
  const probe = createEvmProbe(client, { asset, payTo })
  const ask = (validBeforeSec: number) =>
    probe({
      paymentId: ['eip155:8453', asset, payer, nonce].join('|'),
      usdMicros,
      validBeforeMs: validBeforeSec * 1000,
      transaction: world.told ?? null,
    })
  return { ask, ...seen }
}

const headAtSec = 1_700_000_000
/** The end of an authorization's validity, in Unix seconds: 60 s after the newest block. */
const validBefore = headAtSec + 60

describe('a payment on the chain', () => {
  const findingOf = (receipts: Readonly<Record<Hex, Receipt>>, hashes = Object.keys(receipts)) =>
    startNode({ head: 5_000, headAtSec, usedIn: { 4990: hashes as Hex[] }, receipts }).ask(validBefore)
  const unpaid = { kind: 'unpaid' }

  it('is paid by a transfer of its price from its payer to the seller, or of more', async () => {
    for (const value of [10_000n, 10_001n])
      expect(await findingOf({ [first]: paying({ value }) })).to.deep.equal({ kind: 'paid', transaction: first })
    const among = { logs: [transfer({ token: otherAsset }), use(), transfer(), transfer({ to: stranger })] }
    expect(await findingOf({ [first]: among })).to.deep.equal({ kind: 'paid', transaction: first })
  })

  it('is paid by each nonce with its own transfer in a transaction of several payments', async () => {
    const several = { logs: [use({ nonce: first }), transfer(), use(), transfer(), use({ nonce: second }), transfer()] }
    expect(await findingOf({ [first]: several })).to.deep.equal({ kind: 'paid', transaction: first })
  })

  const toItself = transfer({ to: payer, value: 0n })
  const none: readonly (readonly [string, Receipt])[] = [
    ['a transaction that reverted', { ...paying(), isReverted: true }],
    ['a transaction that only cancelled it', { logs: [] }],
    ['an amount below the price', paying({ value: 9_999n })],
    [
      'two amounts that make the price together',
      { logs: [use(), transfer({ value: 5_000n }), transfer({ value: 5_000n })] },
    ],
    ['an approval', { logs: [use(), approval()] }],
    ['another asset', paying({ token: otherAsset })],
    ['a transfer to somebody else', paying({ to: stranger })],
    ['a transfer of somebody else', paying({ from: stranger })],
    ['a transfer of the payer before its nonce was used', { logs: [transfer(), use(), toItself] }],
    [
      'the use of its nonce by another message, in a transaction that also pays the seller',
      { logs: [use(), toItself, use({ nonce: first }), transfer()] },
    ],
    [
      'a transaction whose only transfer to the seller is of another payment',
      { logs: [use(), toItself, use({ nonce: second }), toItself, use({ nonce: first }), transfer()] },
    ],
  ]
  for (const [name, receipt] of none)
    it(`is not paid by ${name}, and may be by a later transaction`, async () => {
      expect(await findingOf({ [first]: receipt })).to.deep.equal(unpaid)
      const both = { [first]: receipt, [second]: paying() }
      expect(await findingOf(both, [first, second])).to.deep.equal({ kind: 'paid', transaction: second })
    })

  it('is not paid by a transaction that is in no block yet', async () => {
    const { ask } = startNode({ head: 5_000, headAtSec, usedIn: { 4990: [null] } })
    expect(await ask(validBefore)).to.deep.equal(unpaid)
  })

  it('whose transaction cannot be read is not judged', async () => {
    const { ask } = startNode({ head: 5_000, headAtSec, usedIn: { 4990: [first] } })
    expect(await ask(validBefore).catch(() => 'failed')).to.equal('failed')
  })

  it('whose transaction has no name of one is not judged', async () => {
    const evil = 'aa\r\nX-Evil: 1' as Hex
    expect(await findingOf({ [evil]: paying() }).catch(() => 'failed')).to.equal('failed')
  })

  describe('that is said to be in a transaction', () => {
    const others = [use({ nonce: first }), transfer({ to: stranger })]
    const receipt: Receipt = { logs: [...others, use(), transfer()] }
    const at = (told: Receipt | null) =>
      startNode({ head: 5_000, headAtSec, told: first, receipts: told === null ? {} : { [first]: told } })

    it('is found there, and nothing else is asked', async () => {
      const { ask, blocks, ranges } = at(receipt)
      expect(await ask(validBefore)).to.deep.equal({ kind: 'paid', transaction: first })
      expect([blocks, ranges]).to.deep.equal([[], []])
    })

    for (const [name, told] of [
      ['that is nowhere', null],
      ['that reverted', { ...receipt, isReverted: true }],
      ['that paid by another authorization of the payer', { logs: [use({ nonce: first }), transfer()] }],
      [
        'that used it for nothing and paid by another one',
        { logs: [use(), toItself, use({ nonce: first }), transfer()] },
      ],
      ['that used the authorization of another payer', { logs: [use({ by: stranger }), transfer()] }],
      ['of another token', { logs: [use({ token: otherAsset }), transfer()] }],
      ['that moved nothing to the seller', { logs: [...others, use(), transfer({ to: stranger })] }],
    ] as const)
      it(`is looked for like any other where it is said to be in one ${name}`, async () => {
        const { ask, ranges } = at(told)
        expect(await ask(validBefore)).to.deep.equal(unpaid)
        expect(ranges).to.have.length(1)
      })
  })

  it('is looked for by its token, payer and nonce', async () => {
    const { ask, filters } = startNode({ head: 5_000, headAtSec })
    await ask(validBefore)
    const topics = encodeEventTopics({ abi: [used], args: { authorizer: payer, nonce } })
    expect(topics[1]).to.equal(pad(payer))
    expect(filters).to.deep.equal([{ address: asset, topics }])
  })

  describe('is looked for', () => {
    it('from a block before it could be signed, found in growing steps back', async () => {
      const { ask, ranges, blocks } = startNode({ head: 5_000, headAtSec })
      // The payment was signed at most 780 s (390 blocks) before the newest block. The search starts 64, then
      // 320, then 1,344 blocks before the newest block.
      await ask(validBefore)
      expect([ranges, blocks]).to.deep.equal([[[3_656, 5_000]], ['latest', 4_936, 4_680, 3_656]])
    })

    it('from the block of that very instant', async () => {
      // A payment can be signed up to 840 s before `validBefore`. Here the earliest signing time is 128 s (64
      // blocks) before the newest block.
      const exact = startNode({ head: 5_000, headAtSec })
      await exact.ask(headAtSec + 712)
      expect(exact.ranges).to.deep.equal([[4_936, 5_000]])
      const earlier = startNode({ head: 5_000, headAtSec })
      await earlier.ask(headAtSec + 711)
      expect(earlier.ranges).to.deep.equal([[4_680, 5_000]])
    })

    it('from the first block of a chain that is younger', async () => {
      for (const head of [300, 65]) {
        const { ask, ranges } = startNode({ head, headAtSec })
        await ask(validBefore)
        expect(ranges).to.deep.equal([[0, head]])
      }
    })

    it('in the head alone when that is older than any payment', async () => {
      const { ask, ranges, blocks } = startNode({ head: 5_000, headAtSec })
      expect(await ask(headAtSec + 840)).to.deep.equal(unpaid)
      expect([ranges, blocks]).to.deep.equal([[[5_000, 5_000]], ['latest']])
    })

    it('2,000 blocks at a time, each once, up to the head', async () => {
      for (const [head, expected] of [
        [
          9_999,
          [
            [4_559, 6_558],
            [6_559, 8_558],
            [8_559, 9_999],
          ],
        ],
        [1_999, [[0, 1_999]]],
        [
          2_000,
          [
            [0, 1_999],
            [2_000, 2_000],
          ],
        ],
      ] as const) {
        const { ask, ranges } = startNode({ head, headAtSec, blockSec: 0.25 })
        expect([await ask(validBefore), ranges]).to.deep.equal([unpaid, expected])
      }
    })
  })

  describe('has expired', () => {
    it('with a block more than a minute after its validity: a node can lack the newest ones', async () => {
      expect(await startNode({ head: 5_000, headAtSec }).ask(headAtSec - 60)).to.deep.equal(unpaid)
      expect(await startNode({ head: 5_000, headAtSec }).ask(headAtSec - 61)).to.deep.equal({ kind: 'expired' })
    })

    it('and is looked for no further than that', async () => {
      const node = startNode({ head: 9_999, headAtSec })
      expect(await node.ask(headAtSec - 6_943)).to.deep.equal({ kind: 'expired' })
      expect(node.ranges).to.deep.equal([[4_559, 6_558]])
      const further = startNode({ head: 9_999, headAtSec })
      expect(await further.ask(headAtSec - 6_942)).to.deep.equal({ kind: 'expired' })
      expect(further.ranges).to.deep.equal([
        [4_559, 6_558],
        [6_559, 8_558],
      ])
    })

    it('unless it was paid in time', async () => {
      const world = { head: 9_999, headAtSec, usedIn: { 6558: [first] }, receipts: { [first]: paying() } }
      expect(await startNode(world).ask(headAtSec - 6_943)).to.deep.equal({ kind: 'paid', transaction: first })
    })
  })
})
