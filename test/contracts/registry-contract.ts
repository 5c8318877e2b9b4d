/** The tests that every schema registry must pass. */
import { expect } from 'chai'
import type { SchemaRegistry } from '../../infra/codec/schema-codec.ts'
import { isOperationError } from '../../infra/errors.ts'
import type { AvroField, AvroRecord } from '../../schemas/avro.ts'
import { poolCreated, swap } from '../../schemas/chain-a/facts.ts'

/** `create` returns a registry without schemas under the subjects `s` and `p`. */
export function describeRegistryContract(name: string, create: () => Promise<SchemaRegistry>): void {
  describe(`${name}: the registry contract`, () => {
    let registry: SchemaRegistry
    beforeEach(async () => {
      registry = await create()
    })

    it('gives each schema an id, and returns the schema of an id', async () => {
      const [first, second] = [await registry.register('s', swap), await registry.register('p', poolCreated)]
      expect(second).not.to.equal(first)
      expect(await registry.fetch(first)).to.deep.equal(swap)
      expect(await registry.fetch(second)).to.deep.equal(poolCreated)
      expect(await registry.fetch(2 ** 30)).to.equal(null)
    })

    it('returns the same id for a known schema, also an older version or under another subject', async () => {
      const first = await registry.register('s', swap)
      const second = await registry.register('s', withGas)
      expect(second).not.to.equal(first)
      expect(await registry.register('s', structuredClone(swap))).to.equal(first)
      expect(await registry.register('s', withGas)).to.equal(second)
      expect(await registry.register('p', swap)).to.equal(first)
    })

    it('refuses a schema that cannot read an earlier version, naming the field', async () => {
      await registry.register('s', swap)
      await expectRefused(registry.register('s', withField(swap, { name: 'gasUsed', type: 'long' })), 'gasUsed')
      const whole = swap.fields.map((field) => (field.name === 'tick' ? { ...field, type: 'string' as const } : field))
      await expectRefused(registry.register('s', { ...swap, fields: whole }), 'tick')
    })

    it('compares with every earlier version, not only the last', async () => {
      const without = { ...swap, fields: swap.fields.filter((field) => field.name !== 'sender') }
      await registry.register('s', swap)
      await registry.register('s', without)
      await expectRefused(
        registry.register('s', withField(without, { name: 'sender', type: 'long', default: 0 })),
        'sender',
      )
    })

    it('accepts schemas after a refusal', async () => {
      await registry.register('s', swap)
      await registry.register('s', withField(swap, { name: 'gasUsed', type: 'long' })).catch(() => {})
      const id = await registry.register('s', withGas)
      expect(await registry.fetch(id)).to.deep.equal(withGas)
    })
  })
}

const withField = (schema: AvroRecord, field: AvroField): AvroRecord => ({
  ...schema,
  fields: [...schema.fields, field],
})

const withGas = withField(swap, { name: 'gasUsed', type: 'long', default: 7 })

async function expectRefused(registration: Promise<unknown>, field: string): Promise<void> {
  const failure = await registration.catch((error: unknown) => error)
  expect(isOperationError(failure, 'schema_incompatible'), String(failure)).to.equal(true)
  expect((failure as Error).message).to.include(field)
}
