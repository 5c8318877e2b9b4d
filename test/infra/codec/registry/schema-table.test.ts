import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import {
  createEmbeddedRegistry,
  createMemoryRegistry,
  type EmbeddedRegistry,
} from '../../../../infra/codec/registry/schema-table.ts'
import type { AvroField, AvroRecord } from '../../../../schemas/avro.ts'
import { poolCreated, swap } from '../../../../schemas/chain-a/facts.ts'
import { describeRegistryContract } from '../../../contracts/registry-contract.ts'

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

const opened: EmbeddedRegistry[] = []
afterEach(async () => {
  for (const registry of opened.splice(0)) await registry.close()
})

const create = {
  'memory registry': async () => createMemoryRegistry(),
  'embedded registry': async () => {
    const registry = await createEmbeddedRegistry({ dataDir: folder })
    opened.push(registry)
    return registry
  },
}

for (const [name, createOne] of Object.entries(create)) {
  describeRegistryContract(name, createOne)

  describe(name, () => {
    it('gives ids from one on, each once', async () => {
      const registry = await createOne()
      expect(await registry.register('s', swap)).to.equal(1)
      expect(await registry.register('p', swap)).to.equal(1)
      expect(await registry.register('p-PoolCreated', poolCreated)).to.equal(2)
      expect(await registry.register('s', withField(swap, gas))).to.equal(3)
    })

    it('names the earlier version that is incompatible, and the reason', async () => {
      const registry = await createOne()
      await registry.register('s', swap)
      const failure = await registry.register('s', withField(swap, { name: 'gasUsed', type: 'long' })).catch((e) => e)
      expect(failure.message).to.equal(
        'the new schema of s cannot read the records of version 1: the field gasUsed is new and has no default. Run the version that wrote the records, or change the schema',
      )
    })
  })
}

describe('embedded registry', () => {
  it('keeps its ids over a restart, and shares them with others that have it open', async () => {
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
