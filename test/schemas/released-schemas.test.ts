import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import type { AvroField } from '../../schemas/avro.ts'
import { swap } from '../../schemas/chain-a/facts.ts'
import { type CurrentSchema, currentSchemas, releaseProblem, releasesOf, writeReleases } from './released-schemas.ts'

const current: CurrentSchema = { topic: 'chain-a-facts', name: 'Swap', schema: swap }
const withFields = (fields: readonly AvroField[]): CurrentSchema => ({ ...current, schema: { ...swap, fields } })
const retyped = (name: string, type: AvroField['type']) =>
  withFields(swap.fields.map((field) => (field.name === name ? { ...field, type } : field)))

describe('released schemas', () => {
  for (const schema of currentSchemas)
    it(`${schema.topic} ${schema.name} is its newest release and reads all of them`, () => {
      expect(releaseProblem(schema, releasesOf(schema))).to.equal(null)
    })
})

describe('a changed schema', () => {
  it('is refused for a new field without a default', () => {
    const changed = withFields([...swap.fields, { name: 'gasUsed', type: 'long' }])
    expect(releaseProblem(changed, [swap])).to.match(/cannot read its version 1: the field gasUsed is new/)
  })

  it('is refused for a long that became an int', () => {
    expect(releaseProblem(retyped('blockNumber', 'int'), [swap])).to.match(/version 1: the field blockNumber changed/)
  })

  it('must be able to read the oldest release, not only the newest', () => {
    const second = withFields(swap.fields.filter(({ name }) => name !== 'sender')).schema
    expect(releaseProblem(current, [second])).to.match(/the field sender is new/)
    expect(releaseProblem({ ...current, schema: second }, [swap, second])).to.equal(null)
    const third = withFields([...second.fields, { name: 'sender', type: 'long', default: 0 }])
    expect(releaseProblem(third, [swap, second])).to.match(/version 1: the field sender changed/)
  })

  it('is compatible but not released until it has a file of its own', () => {
    const changed = withFields([...swap.fields, { name: 'gasUsed', type: 'long', default: 0 }])
    expect(releaseProblem(changed, [swap])).to.match(/is not released/)
    expect(releaseProblem(changed, [swap, changed.schema])).to.equal(null)
    expect(releaseProblem(current, [])).to.match(/is not released/)
  })

  it('is written as the next version, once, and never when it is incompatible', () => {
    const folder = mkdtempSync(join(tmpdir(), 'released-'))
    try {
      writeReleases([current], folder)
      const changed = withFields([...swap.fields, { name: 'gasUsed', type: 'long', default: 0 }])
      writeReleases([changed], folder)
      expect(writeReleases([changed], folder)).to.deep.equal([])
      expect(() => writeReleases([retyped('blockNumber', 'int')], folder)).to.throw(RangeError, /cannot read/)
      expect(readdirSync(join(folder, 'chain-a-facts'))).to.deep.equal(['Swap.v1.avsc', 'Swap.v2.avsc'])
      expect(releasesOf(changed, folder)).to.have.lengthOf(2)
    } finally {
      rmSync(folder, { recursive: true })
    }
  })
})
