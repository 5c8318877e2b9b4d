import { expect } from 'chai'
import { tablesOf } from '../../../projections/projection.ts'
import { projections } from '../../../projections/projections.ts'
import { topics } from '../../../schemas/topics.ts'
import { dayMs } from '../../../schemas/units.ts'
import { keptDays, keptSpaceOf } from './kept-space.ts'

describe('the disk space that a service needs', () => {
  it('is that of all days that are kept', () => {
    expect(keptSpaceOf({ facts: 100, derived: 10, tables: 1 })).to.equal(100 * 8 + 10 * 36 + 65)
  })

  it('counts the days that topics keep and one more, and the longest partition of the tables', () => {
    for (const chain of ['chain-a', 'chain-b'] as const) {
      expect(keptDays.facts).to.equal((topics[`${chain}-facts`].retentionMs ?? 0) / dayMs + 1)
      expect(keptDays.derived).to.equal((topics[`${chain}-derived`].retentionMs ?? 0) / dayMs + 1)
    }
    const longestMs = Math.max(...tablesOf(projections).map(({ partition }) => partition.everyMs))
    expect(keptDays.tables).to.equal(((topics['chain-a-derived'].retentionMs ?? 0) + longestMs) / dayMs)
  })
})
