import { readFileSync } from 'node:fs'
import { expect } from 'chai'
import { chainBEdgeOfTests } from '../chain-b/edge.ts'
import { documentsNow, type KnownDocuments } from './known-documents.ts'

const known = JSON.parse(readFileSync(new URL('./known-documents.json', import.meta.url), 'utf8')) as KnownDocuments

describe('the documents', () => {
  const { edge } = chainBEdgeOfTests()

  it('of paths, tools and pages change on purpose only: see known-documents.json', async () => {
    const now = await documentsNow(edge)
    // Clients are written against these texts. After an intended change, copy the printed file to
    // `known-documents.json`. Also write the change into CHANGELOG.md.
    const text = `${JSON.stringify(now, null, 2)}\n`
    if (text !== `${JSON.stringify(known, null, 2)}\n`) process.stdout.write(text)
    expect(now).to.deep.equal(known)
  })
})
