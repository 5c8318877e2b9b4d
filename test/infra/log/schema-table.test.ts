import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { isOperationError } from '../../../infra/errors.ts'
import { createEmbeddedRegistry, createMemoryRegistry } from '../../../infra/log/schema-table.ts'
import type { SchemaRegistry } from '../../../infra/schema-codec.ts'
import type { AvroField, AvroRecord } from '../../../schemas/avro.ts'
import { poolCreated, swap } from '../../../schemas/chain-a/facts.ts'

const withField = (schema: AvroRecord, field: AvroField): AvroRecord => ({
  ...schema,
  fields: [...schema.fields, field],
})
const gas: AvroField = { name: 'gasUsed', type: 'long', default: 7 }

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'schema-table-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

type Opened = SchemaRegistry & { close?: () => Promise<void> }
const registries: readonly [string, () => Promise<Opened>][] = [
  ['memory registry', async () => createMemoryRegistry()],
  ['embedded registry', () => createEmbeddedRegistry({ dataDir: folder })],
]

for (const [name, create] of registries)
  describe(name, () => {
    let registry: Opened
    beforeEach(async () => {
      registry = await create()
    })
    afterEach(() => registry.close?.())

    it('gives ids in the order of registration, and the old id for a schema it knows', async () => {
      expect(await registry.register('s-Swap', swap)).to.equal(1)
      expect(await registry.register('s-PoolCreated', poolCreated)).to.equal(2)
      expect(await registry.register('s-Swap', structuredClone(swap))).to.equal(1)
      expect(await registry.register('s-Swap', withField(swap, gas))).to.equal(3)
      expect(await registry.register('s-Swap', swap)).to.equal(1)
      expect(await registry.fetch(2)).to.deep.equal(poolCreated)
      expect(await registry.fetch(4)).to.equal(null)
    })

    it('refuses a schema that cannot read an earlier version, saying which and why', async () => {
      await registry.register('s', swap)
      const failure = await registry.register('s', withField(swap, { name: 'gasUsed', type: 'long' })).catch((e) => e)
      expect(isOperationError(failure, 'schema_incompatible')).to.equal(true)
      expect(failure.message).to.equal('the new s cannot read version 1: the field gasUsed is new and has no default')
      expect(await registry.register('s-PoolCreated', poolCreated)).to.equal(2)
    })

    it('compares with every earlier version, not only the last', async () => {
      const without = { ...swap, fields: swap.fields.filter((field) => field.name !== 'sender') }
      await registry.register('s', swap)
      await registry.register('s', without)
      const back = withField(without, { name: 'sender', type: 'long', default: 0 })
      const failure = await registry.register('s', back).catch((e) => e)
      expect(failure.message).to.match(/cannot read version 1: the field sender changed/)
    })
  })

describe('embedded registry', () => {
  it('keeps its ids over a restart and shares them with whoever opens it too', async () => {
    const first = await createEmbeddedRegistry({ dataDir: folder })
    const second = await createEmbeddedRegistry({ dataDir: folder })
    expect(await first.register('s', swap)).to.equal(1)
    expect(await second.register('s', swap)).to.equal(1)
    expect(await second.register('p', poolCreated)).to.equal(2)
    expect(await first.fetch(2)).to.deep.equal(poolCreated)
    await first.close()
    await second.close()
    const again = await createEmbeddedRegistry({ dataDir: folder })
    expect(await again.register('p', poolCreated)).to.equal(2)
    await again.close()
  })
})
