import { expect } from 'chai'
import { base58OfHex, hexOfBase58 } from '../../../../infra/base58.ts'
import { isOperationError, OperationError } from '../../../../infra/errors.ts'
import { canonicalPoolOf, curveOfMint } from '../../../../ingest/chain-b/decode/derived-addresses.ts'
import { createHoldersLookup } from '../../../../ingest/chain-b/lookups/holders.ts'
import { createRpcHolderReader, holdersAgeMsMax } from '../../../../ingest/chain-b/lookups/read-holders.ts'
import { openReader } from '../../../../ingest/chain-b/node/open-reader.ts'
import type { Hex } from '../../../../schemas/units.ts'
import { type Answer, type AnsweringServer, startAnswering } from '../answering.ts'

const never = new AbortController().signal
const addressOf = (digit: string): Hex => `0x${digit.repeat(64)}`
const mint = addressOf('a')
const token2022 = 'TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb'
const splToken = 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA'

type Account = Readonly<{ owner: string; tokenRaw: bigint; mint?: Hex; program?: string; length?: number }>

function bytesOf({ owner, tokenRaw, mint: of = mint, length = 165 }: Account): Buffer {
  const bytes = Buffer.alloc(165)
  bytes.write(of.slice(2), 0, 'hex')
  bytes.write((owner.length > 1 ? owner : addressOf(owner)).slice(2), 32, 'hex')
  bytes.writeBigUInt64LE(tokenRaw, 64)
  return bytes.subarray(0, length)
}

type Ledger = Readonly<{ slot: number; accounts: readonly (Account | null)[] }>

/** Returns the answer of a node that has these token accounts of the mint. */
function answerOf({ slot, accounts }: Ledger, text: string): Answer {
  const { method, params } = JSON.parse(text) as Readonly<{ method: string; params: readonly unknown[] }>
  const context = { slot }
  const result = (value: unknown): Answer => ({
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, result: { context, value } }),
  })
  if (method === 'getTokenLargestAccounts') {
    expect(params[0]).to.equal(base58OfHex(mint))
    return result(accounts.map((_, index) => ({ address: base58OfHex(addressOf(`${index + 1}`)), amount: '7' })))
  }
  expect(params[0]).to.deep.equal(accounts.map((_, index) => base58OfHex(addressOf(`${index + 1}`))))
  return result(
    accounts.map((account) => {
      if (account === null) return null
      return { data: [bytesOf(account).toString('base64'), 'base64'], owner: account.program ?? splToken, lamports: 1 }
    }),
  )
}

describe('the largest holders of a mint', () => {
  let server: AnsweringServer
  let answerTo: (body: string) => Answer
  before(async () => {
    server = await startAnswering(({ body }) => answerTo(body))
  })
  after(() => server.stop())

  const read = (slot = 100, timeoutMs = 5_000) =>
    createRpcHolderReader(openReader({ url: server.url, isHelius: false, timeoutMs, triesMax: 1 }))(
      { mint, slot },
      never,
    )
  const failureOf = async (reading: Promise<unknown>): Promise<string> => {
    const error = await reading.then(
      () => expect.fail('it was read'),
      (reason: unknown) => reason,
    )
    return isOperationError(error) ? error.code : String(error)
  }

  it('are the owners of its token accounts, with the amounts of the accounts, largest first', async () => {
    const accounts: readonly Account[] = [
      { owner: 'c', tokenRaw: 793_100_000_000_000n },
      { owner: '1', tokenRaw: 5n },
      { owner: '2', tokenRaw: 2n ** 60n + 1n, program: token2022, length: 182 },
      { owner: '1', tokenRaw: 3n },
    ]
    answerTo = (body) => answerOf({ slot: 100, accounts }, body)
    expect(await read()).to.deep.equal([
      { owner: addressOf('2'), tokenRaw: 2n ** 60n + 1n },
      { owner: addressOf('c'), tokenRaw: 793_100_000_000_000n },
      { owner: addressOf('1'), tokenRaw: 5n },
      { owner: addressOf('1'), tokenRaw: 3n },
    ])
  })

  it('are without accounts that were closed or emptied meanwhile, or are none of the mint', async () => {
    const accounts: readonly (Account | null)[] = [
      { owner: '1', tokenRaw: 5n },
      null,
      { owner: '2', tokenRaw: 0n },
      { owner: '3', tokenRaw: 4n, mint: addressOf('b') },
      { owner: '4', tokenRaw: 4n, program: '11111111111111111111111111111111' },
      { owner: '5', tokenRaw: 4n, length: 71 },
    ]
    answerTo = (body) => answerOf({ slot: 100, accounts }, body)
    expect(await read()).to.deep.equal([{ owner: addressOf('1'), tokenRaw: 5n }])
  })

  it('are without the curve, its pool and what these own', async () => {
    const [curve, pool] = (await Promise.all([curveOfMint(base58OfHex(mint)), canonicalPoolOf(base58OfHex(mint))])).map(
      (address) => hexOfBase58(address, 32) as Hex,
    )
    const accounts: readonly Account[] = [
      { owner: curve as Hex, tokenRaw: 900n },
      { owner: pool as Hex, tokenRaw: 700n },
      { owner: '1', tokenRaw: 5n },
    ]
    answerTo = (body) => answerOf({ slot: 100, accounts }, body)
    expect(await read()).to.deep.equal([{ owner: addressOf('1'), tokenRaw: 5n }])
    answerTo = (body) => answerOf({ slot: 100, accounts: accounts.slice(0, 1) }, body)
    expect(await read(), 'nobody has bought yet').to.deep.equal([])
  })

  it('are not told by a node that has not come to the slot, or knows none', async () => {
    answerTo = (body) => answerOf({ slot: 99, accounts: [{ owner: '1', tokenRaw: 5n }] }, body)
    expect(await failureOf(read())).to.equal('node_inconsistent')
    answerTo = (body) => answerOf({ slot: 100, accounts: [] }, body)
    expect(await failureOf(read())).to.equal('node_refused')
    answerTo = () => ({
      body: '{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"Invalid param: not a Token mint"}}',
    })
    expect(await failureOf(read())).to.equal('node_refused')
  })

  const faults: readonly (readonly [string, Answer, string])[] = [
    ['a node that is silent', 'silent', 'node_unreachable'],
    ['a connection that breaks', 'cut', 'node_unreachable'],
    ['a node that fails', { status: 500, body: 'oops' }, 'node_unreachable'],
    ['a page of a gateway', { body: '<html>' }, 'node_unreachable'],
    ['an answer of another kind', { body: '{"jsonrpc":"2.0","id":1,"result":[]}' }, 'node_inconsistent'],
    [
      'an amount that is no number',
      { body: '{"jsonrpc":"2.0","id":1,"result":{"context":{"slot":1},"value":[{"address":"x","amount":"1e3"}]}}' },
      'node_inconsistent',
    ],
  ]
  for (const [name, answer, code] of faults)
    it(`are not told by ${name}`, async () => {
      answerTo = () => answer
      expect(await failureOf(read(100, 200))).to.equal(code)
    })
})

describe('the lookup of holders', () => {
  const asked = { questionId: `${base58OfHex(mint)}:5`, revision: 0, atMs: 5, slot: 100, slotHash: '0x' } as const
  const found = [{ owner: mint, tokenRaw: 1n }]
  const context = (ageMs: number) => ({ signal: never, ageMs: () => ageMs })

  it('asks a node again that may know later, and says why it does not yet', async () => {
    for (const code of ['node_unreachable', 'node_inconsistent', 'node_refused'] as const) {
      const reader = createRpcHolderReader({
        largestTokenAccounts: async () => {
          throw new OperationError(code, 'later')
        },
        accounts: async () => [],
      })
      expect(await createHoldersLookup(reader).find(asked, context(0))).to.deep.equal({ missing: 'later' })
    }
    const hangs = createHoldersLookup(
      (_, signal) => new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error))),
      { limitMs: 20 },
    )
    expect(await hangs.find(asked, context(0))).to.deep.equal({ missing: 'the node did not answer in time' })
  })

  it('gives the last attempt no longer than the minute', async () => {
    const hangs = createHoldersLookup(
      (_, signal) => new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error))),
    )
    expect(await hangs.find(asked, context(59_980))).to.deep.equal({ missing: 'the node did not answer in time' })
  }).timeout(50_000)

  it('takes the present holders of a node only for a burst of the last minute', async () => {
    const lookup = createHoldersLookup(async () => found, { ageMsMax: holdersAgeMsMax })
    expect(await lookup.find(asked, context(60_000))).to.deep.equal({ found })
    const failure = await lookup.find(asked, context(60_001)).catch((error: unknown) => error)
    expect(isOperationError(failure, 'node_refused')).to.equal(true)
  })

  it('does not ask a node of now for the holders of then', async () => {
    const lookup = createHoldersLookup(async () => found, { ageMsMax: 1000 })
    expect(await lookup.find(asked, context(1000))).to.deep.equal({ found })
    const failure = await lookup.find(asked, context(1001)).catch((error: unknown) => error)
    expect(failure).to.have.property('message', 'the question is too old: the node knows only the present holders')
    expect(await createHoldersLookup(async () => found).find(asked, context(1e12))).to.deep.equal({ found })
  })
})
