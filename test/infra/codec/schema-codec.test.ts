import { expect } from 'chai'
import fc from 'fast-check'
import { createMemoryRegistry } from '../../../infra/codec/registry/schema-table.ts'
import { avroType, createSchemaCodec, subjectOf, whyUnreadable } from '../../../infra/codec/schema-codec.ts'
import { isOperationError, type OperationErrorCode } from '../../../infra/errors.ts'
import { type AvroField, type AvroRecord, arrayOf, hex, recordOf } from '../../../schemas/avro.ts'
import { type PoolAddress, poolAddress } from '../../../schemas/chain-a/addresses.ts'
import { swap } from '../../../schemas/chain-a/facts.ts'
import { topics } from '../../../schemas/topics.ts'

describe('schema codec', () => {
  it('carries integers of any width exactly', () => {
    const type = avroType(swap)
    fc.assert(
      fc.property(fc.bigInt({ min: -(2n ** 255n), max: 2n ** 255n - 1n }), (ethWei) => {
        const value = {
          pool: `0x${'ab'.repeat(32)}`,
          ethWei,
          tokenRaw: -ethWei,
          sqrtPriceX96: 2n ** 159n,
          liquidity: 0n,
          tick: -887272,
          sender: `0x${'01'.repeat(20)}`,
          blockNumber: 4_503_599_627_370_495,
          blockAtMs: 1_700_000_000_000,
          txIndex: 0,
          logIndex: 3,
          blockHash: `0x${'02'.repeat(32)}`,
          txHash: `0x${'03'.repeat(32)}`,
        }
        expect({
          ...(type.fromBuffer(type.toBuffer(value)) as object),
        }).to.deep.equal(value)
      }),
    )
  })

  it('refuses invalid hex, in a list too, and does not cut it short', () => {
    const type = avroType(recordOf('R', [{ name: 'x', type: arrayOf(hex) }]))
    const write = (x: string) => () => type.toBuffer({ x: ['0x', '0xabCD', x] })
    for (const wrong of ['ab', '0xab0', '0xabzz']) expect(write(wrong), wrong).to.throw(Error)
    expect(write('0x00')).not.to.throw()
  })

  it('encodes every record in the wire format: zero, the schema id, the body', async () => {
    const codec = await createSchemaCodec<ChainAAddress>(topics.addresses, createMemoryRegistry())
    const bytes = codec.encode('PoolAddress', sample)
    expect(bytes.subarray(0, 5).toString('hex')).to.equal('0000000001')
    expect(codec.typeOf(bytes)).to.equal('PoolAddress')
    expect(plain(codec.decode(bytes))).to.deep.equal({ type: 'PoolAddress', data: sample })
  })

  it('reads records of an earlier version once its schema is loaded', async () => {
    const registry = createMemoryRegistry()
    const older = { ...poolAddress, fields: [...poolAddress.fields, { name: 'note', type: 'string' }] } as const
    const id = await registry.register(subjectOf('addresses', older), older)
    const codec = await createSchemaCodec<ChainAAddress>(topics.addresses, registry)
    const body = avroType(older).toBuffer({ ...sample, note: 'dropped later' })
    const bytes = Buffer.concat([Buffer.from([0, 0, 0, 0, id]), body])
    expectCode(() => codec.decode(bytes), 'schema_unknown')
    await codec.load(bytes)
    expect(plain(codec.decode(bytes))).to.deep.equal({ type: 'PoolAddress', data: sample })
  })

  it('refuses what is no record of its topic', async () => {
    const codec = await createSchemaCodec<ChainAAddress>(topics.addresses, createMemoryRegistry())
    const bytes = codec.encode('PoolAddress', sample)
    expectCode(() => codec.decode(Buffer.from([0, 0, 0])), 'record_corrupt')
    expectCode(() => codec.decode(Buffer.concat([Buffer.from([1]), bytes.subarray(1)])), 'record_corrupt')
    expectCode(() => codec.decode(bytes.subarray(0, -3)), 'record_corrupt')
    expectCode(() => codec.decode(Buffer.concat([bytes, Buffer.from([0])])), 'record_corrupt')
    expectCode(() => codec.encode('Swap' as 'PoolAddress', sample), 'schema_unknown')
  })
})

describe('whyUnreadable', () => {
  const withField = (field: AvroField): AvroRecord => ({ ...poolAddress, fields: [...poolAddress.fields, field] })

  it('is null if the older records can be read', () => {
    expect(whyUnreadable(poolAddress, poolAddress)).to.equal(null)
    expect(whyUnreadable(withField({ name: 'x', type: 'long', default: 0 }), poolAddress)).to.equal(null)
    expect(
      whyUnreadable(withField({ name: 'x', type: 'long' }), withField({ name: 'x', type: 'int' })),
      'an int may become a long',
    ).to.equal(null)
  })

  it('names the incompatible field', () => {
    expect(whyUnreadable(withField({ name: 'x', type: 'long' }), poolAddress)).to.match(/field x is new/)
    const narrowed = whyUnreadable(withField({ name: 'x', type: 'int' }), withField({ name: 'x', type: 'long' }))
    expect(narrowed).to.match(/field x changed to an incompatible type/)
    expect(whyUnreadable({ ...poolAddress, name: 'Other' }, poolAddress)).to.equal(
      'the record type PoolAddress was renamed to Other',
    )
  })
})

type ChainAAddress = Readonly<{ type: 'PoolAddress'; data: PoolAddress }>

const sample: PoolAddress = {
  pool: `0x${'aa'.repeat(32)}` as const,
  token: `0x${'bb'.repeat(20)}` as const,
  dex: 'v4',
  ethIsCurrency0: true,
  hooks: null,
  createdBlock: 5,
  createdAtMs: 1_700_000_000_000,
}

/** Decoded records are instances of classes that avsc creates. Only their fields are compared. */
const plain = ({ type, data }: ChainAAddress) => ({ type, data: { ...data } })

function expectCode(act: () => unknown, code: OperationErrorCode): void {
  try {
    act()
  } catch (error) {
    if (isOperationError(error, code)) return
    throw error
  }
  expect.fail(`did not fail with ${code}`)
}
